/** Decides which URLs outbound requests may use, before DNS is asked. */
import { isIP } from 'node:net';
import type { AddressVerdict } from './address-rules.ts';
import { OutboundBlockedError, type OutboundBlockedReason } from './outbound-error.ts';
import type { OutboundRules } from './outbound-rules.ts';
import { portOf } from './own-addresses.ts';

/** The host names at which clouds serve instance credentials. They are refused for every address. */
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

/**
 * Suffixes of private networks. Names with them are refused without DNS, unless the operator allowed ranges or listed
 * the name.
 */
const PRIVATE_SUFFIXES = ['.internal', '.local', '.localdomain', '.home.arpa'];

/**
 * Returns the URL as the network will use it, or throws OutboundBlockedError.
 *
 * It decides without DNS: by scheme, userinfo, host name, and literal addresses in any form. It also refuses the
 * gateway's own addresses, unless the rules permit them. WHATWG parsing converts
 * `0x7f.1`, `2130706433` and full-width digits to dotted form. The addresses of a name are checked when a connection is
 * made.
 */
export function parseOutboundUrl(named: string | URL, rules: OutboundRules): URL {
  const url = typeof named === 'string' ? URL.parse(named) : named;
  if (url === null) throw new OutboundBlockedError('invalid_url');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new OutboundBlockedError('scheme_not_allowed');
  if (url.username !== '' || url.password !== '') throw new OutboundBlockedError('userinfo_not_allowed');
  dropTrailingDots(url);
  const host = hostOf(url);
  const port = portOf(url);
  // The public host is no secret. Other own addresses are only named when they may be reached at all.
  if (rules.own?.isPublicHost(host, port)) throw new OutboundBlockedError('own_address');
  const kind = connectionKindOf(rules, url.protocol, url.port);
  if (isIP(host) === 0) checkName(host, kind, rules);
  else checkAddress(host, kind, rules);
  const addresses = isLocalhost(host) ? rules.openedLoopback : [host];
  if (addresses.some((address) => rules.own?.isListener(address, port)))
    throw new OutboundBlockedError('own_address');
  return url;
}

/** The kinds of connections. `other-port` is https on a port other than 443 while `onlyPort443` is set. */
export type ConnectionKind = 'http' | 'https' | 'other-port';

export function connectionKindOf(rules: OutboundRules, protocol: string, port: string): ConnectionKind {
  if (protocol === 'http:') return 'http';
  const isUsualPort = port === '' || port === '443';
  return isUsualPort || !rules.onlyPort443 ? 'https' : 'other-port';
}

/** Returns whether this kind of connection may go to this address of the host. */
export function permits(rules: OutboundRules, kind: ConnectionKind, host: string, address: string): boolean {
  const verdict = rules.judge(address);
  if (verdict === 'refused') return false;
  switch (kind) {
    case 'https':
      return true;
    case 'other-port':
      return verdict === 'allowed' || rules.listsName(host);
    case 'http':
      return permitsHttp(rules, host, verdict);
  }
}

/** A host and port to connect to. An empty port is the default one of the scheme. */
export interface ConnectTarget {
  protocol: string;
  hostname: string;
  port: string;
}

/** Returns why a connection of this kind must not go to this address of the target; undefined when it may. */
export function refusalOf(
  rules: OutboundRules,
  kind: ConnectionKind,
  target: ConnectTarget,
  address: string,
): OutboundBlockedReason | undefined {
  if (!permits(rules, kind, target.hostname, address)) return 'address_not_allowed';
  return rules.own?.isListener(address, portOf(target)) ? 'own_address' : undefined;
}

/** Returns whether the host is `localhost` or below it. RFC 6761 defines these as loopback, without a resolver. */
export function isLocalhost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

/** Returns whether the host serves instance credentials in some cloud. */
export function isMetadataHost(host: string): boolean {
  return METADATA_HOSTS.has(host);
}

/**
 * Returns whether plain http may go to a host: to listed names at any address, and to permitted literal addresses and
 * `localhost`.
 */
function permitsHttp(rules: OutboundRules, host: string, verdict: AddressVerdict): boolean {
  if (rules.listsName(host)) return true;
  return verdict === 'allowed' && (isIP(host) !== 0 || isLocalhost(host));
}

/** The reason for refusing a public address, by the kind of connection. */
const REASONS_BY_KIND = {
  http: 'insecure_scheme',
  https: 'address_not_allowed',
  'other-port': 'port_not_allowed',
} as const;

function checkAddress(address: string, kind: ConnectionKind, rules: OutboundRules): void {
  if (permits(rules, kind, address, address)) return;
  const reason = rules.judge(address) === 'public' ? REASONS_BY_KIND[kind] : 'address_not_allowed';
  throw new OutboundBlockedError(reason);
}

function checkName(host: string, kind: ConnectionKind, rules: OutboundRules): void {
  if (isMetadataHost(host)) throw new OutboundBlockedError('host_not_allowed');
  if (isLocalhost(host)) {
    if (rules.openedLoopback.length === 0) throw new OutboundBlockedError('host_not_allowed');
    return;
  }
  if (rules.listsName(host)) return;
  if (!rules.opensRanges && PRIVATE_SUFFIXES.some((suffix) => host.endsWith(suffix)))
    throw new OutboundBlockedError('host_not_allowed');
  if (kind === 'http') throw new OutboundBlockedError('insecure_scheme');
  if (kind === 'other-port' && !rules.opensRanges) throw new OutboundBlockedError('port_not_allowed');
}

/** Removes trailing dots. DNS ignores them, but name rules and certificates do not. */
function dropTrailingDots(url: URL): void {
  const bare = url.hostname.replace(/\.+$/, '');
  if (bare === '') throw new OutboundBlockedError('invalid_url');
  if (bare !== url.hostname) url.hostname = bare;
}

function hostOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}
