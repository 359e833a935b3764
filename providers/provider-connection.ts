/** Manages the connections to upstreams, and decides when a request may reuse one. */
import type { Socket } from 'node:net';
import { Agent, buildConnector, Dispatcher } from 'undici';

const CONNECT_TIMEOUT_MS = 10_000;

/** The time after which idle connections are closed. */
interface IdleTime {
  /** The time for a server that states none in `Keep-Alive`. */
  usualMs: number;
  /** The longest time that a server may state. */
  longestMs: number;
}

/**
 * The time for the operator's vendors. An agent that calls every ten seconds keeps its connection. A vendor that closes
 * it earlier is noticed, and a request that meets the end of its connection is sent once more (ADR 0031).
 */
const IDLE_OF_VENDORS: IdleTime = { usualMs: 60_000, longestMs: 60_000 };
/**
 * The time for hosts of customers. There may be thousands of them, each with descriptors until its connections end, so
 * that the time is shorter than that after which uvicorn closes a connection without notice.
 */
const IDLE_OF_CUSTOMERS: IdleTime = { usualMs: 3_000, longestMs: 30_000 };
/** The margin before the time at which a server closes a connection, if it announces that, as Node's servers do. */
const IDLE_MARGIN_MS = 2_000;

/**
 * Thrown when no connection could be made (refused, unknown name, bad certificate, timeout), so certainly no byte of
 * the request was sent. Later failures have an unknown outcome.
 */
export class NotConnectedError extends Error {
  constructor(cause: Error) {
    super('no connection could be made', { cause });
    this.name = 'NotConnectedError';
  }
}

const LOSSES = new Set<unknown>(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
/** The errors of connections that had carried an answer before. */
const endsAfterUse = new WeakSet<Error>();

/**
 * Returns whether an exchange failed because a reused connection was closed. If no byte of its answer had arrived, the
 * vendor most likely closed the idle connection and never saw the request.
 */
export function isStaleConnection(error: Error): boolean {
  return endsAfterUse.has(error) && LOSSES.has((error as NodeJS.ErrnoException).code);
}

const connectSocket = buildConnector({ timeout: CONNECT_TIMEOUT_MS });

/** Creates the connections to the operator's vendors, whose base URLs are trusted. */
export function createProviderDispatcher(): Dispatcher {
  return new ProviderDispatcher(trackUse(connectSocket), IDLE_OF_VENDORS);
}

/**
 * Creates the connections to hosts of customers. `open` is the connector of the outbound guard, which checks the
 * address of every new connection.
 */
export function createCustomerDispatcher(open: buildConnector.connector): Dispatcher {
  return new ProviderDispatcher(trackUse(open), IDLE_OF_CUSTOMERS);
}

/**
 * Reuses connections, except for POST. A vendor may close an idle connection at the moment of its reuse, and it would
 * be unknown whether a paid submission arrived.
 *
 * A POST marked `idempotent` may be repeated and reuses connections too. Chat and embeddings do, because a handshake
 * for each call would cost more than the rest of it. After the loss of a stale connection they are sent once more with
 * `idempotent: false`, which uses a new connection (ADR 0031).
 *
 * There are as many connections to a vendor as concurrent exchanges: streams are open for minutes, and an exchange must
 * not wait for another one. The API's own limit bounds them.
 */
class ProviderDispatcher extends Dispatcher {
  readonly #kept: Agent;
  readonly #fresh: Agent;

  constructor(connect: buildConnector.connector, idle: IdleTime) {
    super();
    this.#kept = new Agent({
      connect,
      keepAliveTimeout: idle.usualMs,
      keepAliveMaxTimeout: idle.longestMs,
      keepAliveTimeoutThreshold: IDLE_MARGIN_MS,
    });
    this.#fresh = new Agent({ connect, pipelining: 0 });
  }

  override dispatch(options: Agent.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const repeatable = options.idempotent ?? options.method !== 'POST';
    return (repeatable ? this.#kept : this.#fresh).dispatch(options, handler);
  }

  override async close(): Promise<void> {
    // The kept connections close first, because an exchange that is lost on one of them is repeated on a fresh one.
    await this.#kept.close();
    await this.#fresh.close();
  }

  override async destroy(): Promise<void> {
    await Promise.all([this.#kept.destroy(), this.#fresh.destroy()]);
  }
}

/** Wraps a connector: marks failures to connect, and marks the errors of connections that had carried an answer. */
function trackUse(open: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    open(options, (error, socket) => {
      if (error !== null) return callback(new NotConnectedError(error), null);
      // Registered before undici's listener: undici passes the same error to the exchange.
      socket.on('error', markError);
      callback(null, socket);
    });
  };
}

/** Marks an error if its connection had carried an answer. With TLS, `bytesRead` excludes the handshake. */
function markError(this: Socket, error: Error): void {
  if (this.bytesRead > 0) endsAfterUse.add(error);
}
