/** Finds request heads that a proxy in front and the gateway might read differently. */
import type { IncomingMessage } from 'node:http';
import type { Issue } from '../../../domain/errors.ts';

/** Headers that may occur once. Of several, Node takes the first, and a proxy perhaps the last. */
const SINGLE = new Set(['host', 'authorization', 'content-type']);

/** Matches a host name or IP address, perhaps with a port. It may be empty. */
const HOST_PATTERN = /^(?:\[[\dA-Fa-f:.]+\]|[\w.~%-]*)(?::\d{0,5})?$/;

/**
 * Returns what is wrong with a head: a repeated, missing or malformed `Host`, or a target that names another host. Node
 * refuses heads that are ambiguous about the length of the body.
 */
export function problemOfHead({
  rawHeaders,
  headers,
  url = '/',
  httpVersion,
}: IncomingMessage): Issue | undefined {
  const repeated = firstRepeated(rawHeaders);
  if (repeated !== undefined) return issueOf(repeated, 'must occur once');
  const { host } = headers;
  const isOld = httpVersion === '1.0';
  if (host === undefined && !isOld) return issueOf('host', 'is required');
  if (host !== undefined && !HOST_PATTERN.test(host))
    return issueOf('host', 'must be a host name or address');
  if (isOld && headers['transfer-encoding'] !== undefined) {
    return issueOf('transfer-encoding', 'must be absent in HTTP/1.0');
  }
  if (!url.startsWith('/') && url !== '*' && authorityOf(url) !== host?.toLowerCase()) {
    return issueOf('host', 'must equal the host in the request target');
  }
  return undefined;
}

/** Compares only names of a fitting length, because it runs for every request. */
function firstRepeated(rawHeaders: readonly string[]): string | undefined {
  let seen = '';
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const { length } = rawHeaders[n]!;
    if (length !== 4 && length !== 12 && length !== 13) continue;
    const name = rawHeaders[n]!.toLowerCase();
    if (!SINGLE.has(name)) continue;
    if (seen.includes(name)) return name;
    seen += ` ${name}`;
  }
  return undefined;
}

function authorityOf(target: string): string | undefined {
  return /^https?:\/\/([^/?#]*)/i.exec(target)?.[1]?.toLowerCase();
}

function issueOf(header: string, message: string): Issue {
  return { path: `headers.${header}`, message };
}
