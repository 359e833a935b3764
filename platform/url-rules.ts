import { isIP } from 'node:net';
import type { AddressRules } from './address-rules.ts';
import { OutboundBlockedError } from './outbound-error.ts';

/** Names under which clouds serve instance credentials; refused whatever they resolve to. */
const METADATA_HOSTS = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
  'metadata.packet.net',
  'instance-data',
  'instance-data.ec2.internal',
]);

/** Reserved for private networks: refused at once, unless the operator has opened ranges to them. */
const PRIVATE_SUFFIXES = ['.internal', '.local', '.localdomain', '.home.arpa'];

export const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1'];

/**
 * The URL a customer or an upstream named, as the network will see it, or OutboundBlockedError.
 *
 * Decides what can be decided without asking DNS: the scheme, userinfo, names, and literal addresses in any
 * spelling (WHATWG parsing turns `0x7f.1`, `2130706433` and full-width digits into dotted form). A name's
 * addresses are judged when a connection is made.
 */
export function parseOutboundUrl(text: string, rules: AddressRules): URL {
  const url = URL.parse(text);
  if (url === null) throw new OutboundBlockedError('invalid_url');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new OutboundBlockedError('scheme_not_allowed');
  if (url.username !== '' || url.password !== '') throw new OutboundBlockedError('userinfo_not_allowed');
  dropTrailingDots(url);
  const host = hostOf(url);
  if (isIP(host) === 0) checkName(host, url.protocol, rules);
  else checkAddress(host, url.protocol, rules);
  return url;
}

/** Whether a connection for this scheme may go to this address: plain http only where it is opened. */
export function permits(rules: AddressRules, protocol: string, address: string): boolean {
  const verdict = rules.judge(address);
  return verdict === 'allowed' || (verdict === 'public' && protocol === 'https:');
}

/** `localhost` and everything below it: RFC 6761 makes it loopback, whatever a resolver says. */
export function isLocalhost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function checkAddress(address: string, protocol: string, rules: AddressRules): void {
  if (permits(rules, protocol, address)) return;
  const reason = rules.judge(address) === 'public' ? 'insecure_scheme' : 'address_not_allowed';
  throw new OutboundBlockedError(reason);
}

function checkName(host: string, protocol: string, rules: AddressRules): void {
  if (METADATA_HOSTS.has(host)) throw new OutboundBlockedError('host_not_allowed');
  if (isLocalhost(host)) {
    const opened = LOOPBACK_ADDRESSES.some((address) => rules.judge(address) === 'allowed');
    if (!opened) throw new OutboundBlockedError('host_not_allowed');
  }
  if (rules.opensRanges) return;
  if (PRIVATE_SUFFIXES.some((suffix) => host.endsWith(suffix)))
    throw new OutboundBlockedError('host_not_allowed');
  if (protocol === 'http:') throw new OutboundBlockedError('insecure_scheme');
}

/** `example.com.` is `example.com` to DNS, but not to the name rules nor to a certificate. */
function dropTrailingDots(url: URL): void {
  const bare = url.hostname.replace(/\.+$/, '');
  if (bare === '') throw new OutboundBlockedError('invalid_url');
  if (bare !== url.hostname) url.hostname = bare;
}

function hostOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}
