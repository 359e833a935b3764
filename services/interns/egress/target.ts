/** Parses and checks the host and the path that an intern wants to call. */
import { invalidRequest } from '../../../domain/errors.ts';
import { parseHostName } from '../../../domain/interns/host-name.ts';
import { isPercentEncoded } from '../../../domain/url-text.ts';

/** The target of a request. */
export interface EgressTarget {
  /** The scheme, the host and the port, without a path. */
  url: URL;
  /** The path and the query as the host receives them. */
  pathAndQuery: string;
  /** The name of the host in the form that secrets use, without the port. */
  host: string;
  /** The name of the host for the log, with its port when the URL has one. */
  shownHost: string;
}

export interface TargetParts {
  scheme: string;
  /** A host name, with or without a port after a colon. */
  host: string;
  /** The path as received, with its first slash. */
  path: string;
  /** The query as received, with its question mark; empty when the request has none. */
  query: string;
}

/**
 * Reads the target that the path of an egress request names. Throws 400 for another scheme, for a host that is no DNS
 * name, and for a path whose escapes are not UTF-8. A secret's hosts are names, so no secret could be sent to an
 * address.
 */
export function parseTarget({ scheme, host, path, query }: TargetParts): EgressTarget {
  const [, name = '', port = ''] = /^([^:]*)(:\d{1,5})?$/.exec(host) ?? [];
  const hostName = parseHostName(name);
  const isKnownScheme = scheme === 'https' || scheme === 'http';
  // The URL parser sees neither path nor query, because it would rewrite characters such as quotes and braces.
  const url = URL.parse(`${isKnownScheme ? scheme : 'https'}://${hostName}${port}`);
  const isHost = hostName !== undefined && url !== null && url.port !== '0';
  const isPath = isPercentEncoded(path);
  if (!isKnownScheme || !isHost || !isPath) {
    throw invalidRequest(
      ...(isKnownScheme ? [] : [{ path: 'params.scheme', message: 'must be https or http' }]),
      ...(isHost
        ? []
        : [{ path: 'params.host', message: 'must be the name of a host, with or without a port' }]),
      ...(isPath ? [] : [{ path: 'params.path', message: 'must be percent-encoded UTF-8' }]),
    );
  }
  return { url, pathAndQuery: resolveDots(path) + query, host: hostName, shownHost: url.host };
}

/** Resolves segments `.` and `..` like RFC 3986, section 5.2.4. Every other character of the path stays. */
function resolveDots(path: string): string {
  if (!path.includes('/.')) return path;
  const segments = path.split('/').slice(1);
  const resolved: string[] = [];
  for (const segment of segments) {
    if (segment === '..') resolved.pop();
    else if (segment !== '.') resolved.push(segment);
  }
  const endsInDots = /\/\.{1,2}$/.test(path);
  return `/${resolved.join('/')}${endsInDots && resolved.length > 0 ? '/' : ''}`;
}
