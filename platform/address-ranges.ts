/** Checks CIDR ranges in the configuration, and finds addresses in them. */
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Range = [Address, number];

/** Throws a TypeError if a valid range holds every address, or has address bits beyond its prefix. */
export function checkRange(cidr: string): void {
  const [network, bits] = ipaddr.parseCIDR(cidr);
  const first = (network.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(cidr);
  if (bits === 0) throw new TypeError(`must not contain every address, as ${cidr} does`);
  if (first.toString() !== network.toString()) {
    throw new TypeError(`must name ranges by their first address: ${first.toString()}/${bits}, not ${cidr}`);
  }
}

export function contains([network, bits]: Range, address: Address): boolean {
  return network.kind() === address.kind() && address.match(network, bits);
}
