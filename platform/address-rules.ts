/** Decides which IP addresses outbound requests may reach. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type Address, contains, type Range } from './address-ranges.ts';

/** The verdict on an address. `allowed`: a range of OUTBOUND_ALLOW contains it. */
export type AddressVerdict = 'public' | 'allowed' | 'refused';

export interface AddressRules {
  /** Never throws: text that is not an IP address, or has an IPv6 zone, is refused. */
  judge(address: string): AddressVerdict;
  /** Returns true if OUTBOUND_ALLOW contains a range. */
  readonly opensRanges: boolean;
}

/**
 * Addresses at which clouds serve credentials without authentication. They are refused even inside an allowed range.
 * The clouds are AWS, Google, Azure and most others, ECS tasks, EKS pods, Alibaba, Azure's host agent, Oracle Classic,
 * Tencent and Scaleway.
 */
const METADATA_ADDRESSES = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '169.254.0.23',
  '169.254.42.42',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  'fd00:42::42',
]);

/** The range that IANA assigns for global unicast; ipaddr.js knows the special blocks inside it. */
const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/3');
const SIX_TO_FOUR = ipaddr.parseCIDR('2002::/16');

/** Creates the rules from CIDR ranges. Throws if one does not parse. */
export function createAddressRules(allow: readonly string[]): AddressRules {
  const opened = allow.map((cidr): Range => ipaddr.parseCIDR(cidr));
  return {
    opensRanges: opened.length > 0,
    judge(text) {
      if (isIP(text) === 0 || text.includes('%')) return 'refused';
      const address = ipaddr.parse(text);
      if (leadsToMetadata(address)) return 'refused';
      if (opened.some((range) => contains(range, address))) return 'allowed';
      return isPublic(address) ? 'public' : 'refused';
    },
  };
}

/** Returns whether an address is public. ipaddr.js must find it in no special range. */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || contains(GLOBAL_UNICAST_V6, address);
}

/**
 * Returns whether an address leads to a metadata service. The last 32 bits of every IPv6 address are checked too,
 * because mapped, compatible and translated forms keep the IPv4 address there, also under an operator's own NAT64
 * prefix.
 */
function leadsToMetadata(address: Address): boolean {
  if (METADATA_ADDRESSES.has(address.toString())) return true;
  if (address.kind() === 'ipv4') return false;
  const bytes = address.toByteArray();
  if (METADATA_ADDRESSES.has(bytes.slice(12).join('.'))) return true;
  return contains(SIX_TO_FOUR, address) && METADATA_ADDRESSES.has(bytes.slice(2, 6).join('.'));
}
