/** Combines the operator's exceptions for outbound addresses and host names. */
import { createAddressRules } from './address-rules.ts';
import type { AddressRules } from './address-rules.ts';
import type { OwnAddresses } from './own-addresses.ts';

const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1'];

/** The addresses and host names that OUTBOUND_ALLOW permits. */
export interface OutboundRules extends AddressRules {
  /** Returns whether plain http may go to this host name. `host` is normalized by WHATWG URL parsing. */
  listsName(host: string): boolean;
  /** The permitted addresses of `localhost`. */
  openedLoopback: readonly string[];
  /** True: https uses other ports only for permitted addresses and names. */
  onlyPort443: boolean;
  /** The addresses of the gateway, which are refused. Absent: they may be reached. */
  own?: OwnAddresses | undefined;
}

/** Reads the entries of OUTBOUND_ALLOW: a CIDR range has a slash, all others are host names, matched exactly. */
export function createOutboundRules(
  allow: readonly string[],
  { onlyPort443 = false, own }: { onlyPort443?: boolean; own?: OwnAddresses | undefined } = {},
): OutboundRules {
  const names = new Set(allow.filter((entry) => !isRange(entry)));
  const addresses = createAddressRules(allow.filter(isRange));
  const openedLoopback = LOOPBACK_ADDRESSES.filter((address) => addresses.judge(address) === 'allowed');
  return { ...addresses, listsName: (host) => names.has(host), openedLoopback, onlyPort443, own };
}

function isRange(entry: string): boolean {
  return entry.includes('/');
}
