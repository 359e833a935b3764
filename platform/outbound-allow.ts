/** Parses OUTBOUND_ALLOW, the list of private ranges and hosts that operators permit. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { checkRange } from './address-ranges.ts';
import { listOf, parsed } from './config-rules.ts';
import { isMetadataHost } from './url-rules.ts';

const LABELS = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/** Comma-separated CIDR ranges and host names. Names are normalized as in URLs. */
export const outboundAllow = listOf(
  parsed((entry) => (entry.includes('/') ? readRange(entry) : readName(entry))),
);

/** Parses a range. Refuses one that allows every address, or has address bits beyond its prefix. */
function readRange(cidr: string): string {
  if (!ipaddr.isValidCIDR(cidr)) throw neither(cidr);
  checkRange(cidr);
  return cidr;
}

/** Parses a host name as in a URL: lower case, IDNA, without a final dot. Rejects IP addresses. */
function readName(entry: string): string {
  // The URL parser would drop a port, path, userinfo or escape without an error.
  const plain = /^[\p{L}\p{M}\p{N}._-]+$/u.test(entry);
  const host = plain ? (URL.parse(`http://${entry}/`)?.hostname.replace(/\.$/, '') ?? '') : '';
  if (host.length > 253 || !LABELS.test(host) || isIP(host) !== 0) throw neither(entry);
  if (isMetadataHost(host)) throw new TypeError(`must not list ${entry}, which serves cloud credentials`);
  return host;
}

function neither(entry: string): TypeError {
  return new TypeError(
    `must list CIDR ranges and host names, and ${entry === '' ? 'an empty entry' : entry} is neither`,
  );
}
