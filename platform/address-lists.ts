/** Parses the lists of addresses that operators trust: TRUSTED_PROXIES and OUTBOUND_ALLOW. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { listOf, parsed } from './config-rules.ts';
import { isMetadataHost } from './url-rules.ts';

/** Comma-separated addresses and CIDR ranges. An address becomes a range with one address. */
export const trustedProxies = listOf(
  parsed((entry) => {
    const cidr = isIP(entry) === 0 ? entry : rangeOf(entry);
    return readRange(cidr) ?? reject('addresses and CIDR ranges', entry);
  }),
);

/** Comma-separated CIDR ranges and host names. Names are normalized as in URLs. */
export const outboundAllow = listOf(
  parsed(
    (entry) =>
      (entry.includes('/') ? readRange(entry) : readName(entry)) ??
      reject('CIDR ranges and host names', entry),
  ),
);

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

/** Connections from an IPv4 address that is written in IPv6 are compared as IPv4, so the entry is too. */
function rangeOf(text: string): string {
  const address = ipaddr.process(text);
  return `${address.toString()}/${address.kind() === 'ipv4' ? 32 : 128}`;
}

/** Parses a range. Refuses one that holds every address, or has address bits beyond its prefix. */
function readRange(cidr: string): string | undefined {
  if (!ipaddr.isValidCIDR(cidr)) return undefined;
  const [network, bits] = ipaddr.parseCIDR(cidr);
  const first = (network.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(cidr);
  if (bits === 0) throw new TypeError(`must not contain every address, as ${cidr} does`);
  if (first.toString() !== network.toString()) {
    throw new TypeError(`must name ranges by their first address: ${first.toString()}/${bits}, not ${cidr}`);
  }
  return cidr;
}

const LABELS = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/** Parses a host name as in a URL: lower case, IDNA, without a final dot. Rejects IP addresses. */
function readName(entry: string): string | undefined {
  // The URL parser would drop a port, path, userinfo or escape without an error.
  const plain = /^[\p{L}\p{M}\p{N}._-]+$/u.test(entry);
  const host = plain ? (URL.parse(`http://${entry}/`)?.hostname.replace(/\.$/, '') ?? '') : '';
  if (host.length > 253 || !LABELS.test(host) || isIP(host) !== 0) return undefined;
  if (isMetadataHost(host)) throw new TypeError(`must not list ${entry}, which serves cloud credentials`);
  return host;
}

function reject(kinds: string, entry: string): never {
  throw new TypeError(`must list ${kinds}, and ${entry === '' ? 'an empty entry' : entry} is neither`);
}
