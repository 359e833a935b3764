/** Keeps the number of connections within its bounds, in all and for each address. */
import type { Socket } from 'node:net';
import { AppError } from '../../domain/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { createRareWarning } from '../../platform/rare-warning.ts';
import type { ConnectionBounds } from './connection-bounds.ts';
import { type ConnectionMeters, createConnectionMeters } from './connection-metrics.ts';
import {
  type AddressConnections,
  createConnectionsByAddress,
  longestWaiting,
  weightOf,
  type Wait,
} from './connections-by-address.ts';
import type { CallerAddresses } from './request/caller-addresses.ts';
import { sendRawError } from './send-raw-error.ts';

/**
 * Receives what happens to the connections of a server. A connection without an authenticated request in flight waits,
 * and may be closed for another one. So callers without a key, such as slow readers of the documentation, keep nobody
 * out.
 */
export interface ConnectionGate {
  /** Admits a new connection, perhaps in place of one that waits. Otherwise it answers an error and closes it. */
  opened(socket: Socket): void;
  /** A request on the connection was authenticated. */
  busy(socket: Socket): void;
  /** No request is in flight on the connection any more. */
  idle(socket: Socket): void;
  closed(socket: Socket): void;
}

export interface ConnectionGateOptions {
  bounds: ConnectionBounds;
  addresses: Pick<CallerAddresses, 'peerOf'>;
  metrics: Metrics;
  logger: Pick<Logger, 'warn'>;
}

/** The `Retry-After` of a refused connection. Connections that never send a request end within ten seconds. */
const RETRY_AFTER_SECONDS = 5;

export function createConnectionGate(options: ConnectionGateOptions): ConnectionGate {
  const { bounds, addresses, metrics } = options;
  const byAddress = createConnectionsByAddress();
  const owners = new Map<Socket, AddressConnections>();
  const counts = { limit: bounds.all, open: () => owners.size, waiting: byAddress.waiting };
  const meters = createConnectionMeters(metrics, counts);
  const refuse = createRefusal(options, meters);

  /** Records how a connection waits; undefined: it does not. */
  const wait = (socket: Socket, own: AddressConnections, how: Wait | undefined): void => {
    const before = weightOf(own);
    const { half_open: halfOpen, idle } = own.waiting;
    if (!halfOpen.delete(socket)) idle.delete(socket);
    if (how !== undefined) own.waiting[how].add(socket);
    byAddress.place(own, before);
  };
  const closed = (socket: Socket): void => {
    const own = owners.get(socket);
    if (own === undefined) return;
    owners.delete(socket);
    wait(socket, own, undefined);
    own.count -= 1;
    byAddress.keep(own);
  };
  /** Closes a waiting connection of the address. Returns false if it has none. */
  const closeOne = (own: AddressConnections | undefined): boolean => {
    const waiting = own && longestWaiting(own);
    if (waiting === undefined) return false;
    closed(waiting.socket);
    waiting.socket.destroy();
    meters.closed[waiting.how]();
    return true;
  };

  return {
    opened(socket) {
      const { address, isTrustedProxy } = addresses.peerOf(socket);
      const own = byAddress.of(address, isTrustedProxy);
      const isShareFull = !isTrustedProxy && own.count >= bounds.ofAddress;
      if (isShareFull && !closeOne(own)) return refuse(socket, address, 'ofAddress');
      const isFull = owners.size >= bounds.all;
      if (isFull && !closeOne(byAddress.withMostWaiting())) return refuse(socket, address, 'all');
      owners.set(socket, own);
      own.count += 1;
      byAddress.keep(own);
      wait(socket, own, 'half_open');
    },
    busy(socket) {
      const own = owners.get(socket);
      if (own !== undefined) wait(socket, own, undefined);
    },
    idle(socket) {
      const own = owners.get(socket);
      if (own !== undefined) wait(socket, own, 'idle');
    },
    closed,
  };
}

type Bound = keyof ConnectionBounds;

const ERRORS: Record<Bound, AppError> = {
  all: new AppError('unavailable', {
    reason: 'too_many_connections',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  }),
  ofAddress: new AppError('rate_limited', {
    reason: 'too_many_connections_of_address',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  }),
};

/** Creates the function that answers an error to a connection beyond a bound, and closes it. */
function createRefusal({ bounds, logger }: ConnectionGateOptions, { refused }: ConnectionMeters) {
  const warn = createRareWarning(logger, 'connections are refused');
  return (socket: Socket, address: string, bound: Bound): void => {
    const error = ERRORS[bound];
    refused[bound]();
    sendRawError(socket, error);
    warn({ reason: error.options.reason, address, ...bounds });
  };
}
