import type { Socket } from 'node:net';
import { Agent, buildConnector, Dispatcher } from 'undici';

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * An idle connection is given up after this. uvicorn, and so vLLM and most of Python, closes one after 5 seconds without
 * having said so; the rest is for answers on their way and for event loops that are busy.
 */
const IDLE_MS = 3_000;
/** The longest time that a server may ask for; the connections of a host take memory until the last one ends. */
const MAX_IDLE_MS = 30_000;
/** By how much earlier than its vendor closes it, where it says when, as Node's servers do. */
const IDLE_MARGIN_MS = 2_000;

/**
 * No connection could be made (refused, unknown name, bad certificate, timeout), so certainly no byte of the
 * request left. Only connecting throws it; everything later is an unknown outcome.
 */
export class NotConnectedError extends Error {
  constructor(cause: Error) {
    super('no connection could be made', { cause });
    this.name = 'NotConnectedError';
  }
}

const LOSSES = new Set<unknown>(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
/** The ends of connections over which something had been answered. */
const endsAfterUse = new WeakSet<Error>();

/**
 * Whether an exchange failed by the end of a connection that had served others before. Where no byte of its own answer
 * had come, the vendor most likely closed the connection for being idle and never saw the request.
 */
export function isStaleConnection(error: Error): boolean {
  return endsAfterUse.has(error) && LOSSES.has((error as NodeJS.ErrnoException).code);
}

const connectSocket = buildConnector({ timeout: CONNECT_TIMEOUT_MS });

/**
 * Creates the connections to upstreams. Base URLs of the operator's are trusted. For those of customers, `open` is the
 * connector of the outbound guard, which judges the address of every new connection.
 */
export function createProviderDispatcher(open: buildConnector.connector = connectSocket): Dispatcher {
  return new ProviderDispatcher(noting(open));
}

/**
 * Connections are kept alive and used again, except by POST: a vendor may close an idle connection in the
 * very moment that it is used again, and of a paid submission nobody could then say whether it arrived. A POST
 * that says it is `idempotent` may be asked again and uses them too; so do chat and embeddings, where a handshake
 * each would cost more than all the rest. What they lose to a stale connection they ask once more as what it is not,
 * `idempotent: false`, which gets a connection of its own.
 *
 * There are as many connections to a vendor as exchanges at once: streams are open for minutes, and one must not
 * wait for another. What limits them is the API's own limit.
 */
class ProviderDispatcher extends Dispatcher {
  readonly #kept: Agent;
  readonly #fresh: Agent;

  constructor(connect: buildConnector.connector) {
    super();
    this.#kept = new Agent({
      connect,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: MAX_IDLE_MS,
      keepAliveTimeoutThreshold: IDLE_MARGIN_MS,
    });
    this.#fresh = new Agent({ connect, pipelining: 0 });
  }

  override dispatch(options: Agent.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const repeatable = options.idempotent ?? options.method !== 'POST';
    return (repeatable ? this.#kept : this.#fresh).dispatch(options, handler);
  }

  override async close(): Promise<void> {
    // In this order: what is lost on a kept connection is asked again on a fresh one.
    await this.#kept.close();
    await this.#fresh.close();
  }

  override async destroy(): Promise<void> {
    await Promise.all([this.#kept.destroy(), this.#fresh.destroy()]);
  }
}

/** Names failures to connect, and notes which connections have served. */
function noting(open: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    open(options, (error, socket) => {
      if (error !== null) return callback(new NotConnectedError(error), null);
      // Once for each connection, and before undici listens: it hands the same error to the exchange.
      socket.on('error', noteUse);
      callback(null, socket);
    });
  };
}

/** Of TLS too these are bytes of answers, without those of the handshake. */
function noteUse(this: Socket, error: Error): void {
  if (this.bytesRead > 0) endsAfterUse.add(error);
}
