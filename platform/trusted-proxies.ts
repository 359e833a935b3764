/** Parses TRUSTED_PROXIES, the list of addresses whose forwarding headers are believed. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { checkRange } from './address-ranges.ts';
import { listOf, parsed } from './config-rules.ts';

/** Comma-separated addresses and CIDR ranges. An address becomes a range with one address. */
export const trustedProxies = listOf(parsed(readEntry));

interface ProxySettings {
  environment: string;
  http: { publicUrl: string; trustedProxies: readonly string[] };
}

/** Warns about a missing list. The API does not speak TLS, so a public https URL means that a proxy does. */
export function warningsOfProxies({ environment, http }: ProxySettings): string[] {
  const isProxied = environment === 'production' && http.publicUrl.startsWith('https:');
  if (!isProxied || http.trustedProxies.length > 0) return [];
  return ['TRUSTED_PROXIES is not set: all callers behind the proxy that ends TLS count as one address'];
}

function readEntry(entry: string): string {
  const cidr = isIP(entry) === 0 ? entry : rangeOf(entry);
  if (!ipaddr.isValidCIDR(cidr)) {
    throw new TypeError(
      `must list addresses and CIDR ranges, and ${entry === '' ? 'an empty entry' : entry} is neither`,
    );
  }
  checkRange(cidr);
  return cidr;
}

/** Connections from an IPv4 address that is written in IPv6 are compared as IPv4, so the entry is too. */
function rangeOf(text: string): string {
  const address = ipaddr.process(text);
  return `${address.toString()}/${address.kind() === 'ipv4' ? 32 : 128}`;
}
