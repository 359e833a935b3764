/** Opens the sockets of outbound requests, and prevents connections to private addresses. */
import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import { OutboundBlockedError, toOutboundError } from './outbound-error.ts';
import type { OutboundRules } from './outbound-rules.ts';
import { isLocalhost, type ConnectionKind, permits, connectionKindOf, refusalOf } from './url-rules.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** Returns all addresses of a host name, or rejects with the resolver's error. */
export type ResolveHost = (hostname: string) => Promise<string[]>;

/** Resolves with the system's resolver, so that hosts files and search domains of a cluster work. */
export async function resolveWithSystem(hostname: string): Promise<string[]> {
  const answers = await systemLookup(hostname, { all: true });
  return answers.map((answer) => answer.address);
}

export interface GuardedConnectorOptions {
  rules: OutboundRules;
  resolve: ResolveHost;
  /** PEM certificates that replace the system's authorities. */
  ca?: string | undefined;
}

/**
 * Creates an undici connector that opens sockets only to permitted addresses.
 *
 * It resolves the name and checks every address at each connection, which prevents DNS rebinding. Node skips the lookup
 * for literal addresses, so they are checked here. The address that the socket reached is checked once more. A
 * kept-alive socket was checked when it connected.
 */
export function createGuardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const { rules } = options;
  const connectors: Record<ConnectionKind, buildConnector.connector> = {
    http: buildFor('http', options),
    https: buildFor('https', options),
    'other-port': buildFor('other-port', options),
  };
  return (target, callback) => {
    const kind = connectionKindOf(rules, target.protocol, target.port);
    const literal = isIP(target.hostname) === 0 ? undefined : target.hostname;
    const refusal = literal === undefined ? undefined : refusalOf(rules, kind, target, literal);
    if (refusal !== undefined) return callback(new OutboundBlockedError(refusal), null);
    connectors[kind](target, (error, socket) => {
      if (error !== null) return callback(toOutboundError(error, { sent: false }), null);
      const refused = refusalOf(rules, kind, target, socket.remoteAddress ?? '');
      if (refused === undefined) return callback(null, socket);
      socket.destroy();
      callback(new OutboundBlockedError(refused), null);
    });
  };
}

/** Returns a `lookup` for net.connect that fails if a single address is not permitted. */
export function createGuardedLookup(
  kind: ConnectionKind,
  { rules, resolve }: { rules: OutboundRules; resolve: ResolveHost },
): LookupFunction {
  async function permitted(hostname: string): Promise<{ address: string; family: number }[]> {
    const addresses = isLocalhost(hostname) ? rules.openedLoopback : await resolve(hostname);
    if (addresses.length === 0 || !addresses.every((address) => permits(rules, kind, hostname, address))) {
      throw new OutboundBlockedError('address_not_allowed');
    }
    return addresses.map((address) => ({ address, family: isIP(address) }));
  }

  return (hostname, options, callback) => {
    permitted(hostname).then(
      (answers) => {
        const [first] = answers;
        if (options.all === true || first === undefined) callback(null, answers);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}

function buildFor(kind: ConnectionKind, options: GuardedConnectorOptions): buildConnector.connector {
  return buildConnector({
    lookup: createGuardedLookup(kind, options),
    timeout: CONNECT_TIMEOUT_MS,
    allowH2: false,
    ca: options.ca,
  });
}
