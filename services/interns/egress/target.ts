import { invalidRequest } from '../../../domain/errors.ts';
import { parseHostName } from '../../../domain/interns/host-name.ts';

/** The target of a request. */
export interface EgressTarget {
  url: URL;
  /** The name of the host in the form that secrets use, without the port. */
  host: string;
  /** The name of the host for the log, with its port when the URL has one. */
  shownHost: string;
}

export interface TargetParts {
  scheme: string;
  /** A host name, with or without a port after a colon. */
  host: string;
  /** The unchanged path with its first slash. `query` is unchanged too. */
  path: string;
  query: string;
}

/**
 * Reads the target that the path of an egress request names. Throws 400 for another scheme, and for a host that is no
 * DNS name. A secret's hosts are names, so no secret could be sent to an address.
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
