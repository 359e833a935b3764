import { invalidRequest } from '../../../domain/errors.ts';
import { parseHostName } from '../../../domain/interns/host-name.ts';

/** The place that a request goes to. */
export interface EgressTarget {
  url: URL;
  /** The name of the host as secrets have it, without the port. */
  host: string;
  /** The name of the host for the log, with its port where the URL has one. */
  shownHost: string;
}

export interface TargetParts {
  scheme: string;
  /** A name, with a port behind a colon or without. */
  host: string;
  /** The path and the query as they were sent, the path with its first slash. */
  path: string;
  query: string;
}

/**
 * Reads the place that the path of an egress request names. 400 for another scheme, and for a host that is no DNS name:
 * a secret's hosts are names, so an address could never be one of them.
 */
export function parseTarget({ scheme, host, path, query }: TargetParts): EgressTarget {
  const [, name = '', port = ''] = /^([^:]*)(:\d{1,5})?$/.exec(host) ?? [];
  const hostName = parseHostName(name);
  const isKnownScheme = scheme === 'https' || scheme === 'http';
  const rest = `${path}${query === '' ? '' : `?${query}`}`;
  const url = URL.parse(`${isKnownScheme ? scheme : 'https'}://${hostName}${port}${rest}`);
  const isHost = hostName !== undefined && url !== null && url.port !== '0';
  if (!isKnownScheme || !isHost) {
    throw invalidRequest(
      ...(isKnownScheme ? [] : [{ path: 'params.scheme', message: 'must be https or http' }]),
      ...(isHost
        ? []
        : [{ path: 'params.host', message: 'must be the name of a host, with or without a port' }]),
    );
  }
  return { url, host: hostName, shownHost: url.host };
}
