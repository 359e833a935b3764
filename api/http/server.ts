/**
 * Creates the HTTP server of the API. It limits how long a request may take to arrive, and drains connections before it
 * stops.
 */
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { cutOff } from '../../platform/cut-off.ts';
import type { ConnectionGate } from './connection-gate.ts';
import { closeIdle, type Connections, trackConnections } from './connections.ts';
import { listen, type Listeners } from './listen.ts';
import { refuseBrokenRequests } from './refuse-broken-requests.ts';
import { type BodyPace, createBodyPace } from './request/body-pace.ts';

/**
 * The time that an idle connection stays open. It is longer than the idle timeout of common load balancers, so that
 * they close connections first.
 */
const KEEP_ALIVE_MS = 75_000;
/** The time in which a request must arrive, including its body. It does not limit the answer. */
const REQUEST_TIMEOUT_MS = 600_000;
/** The time in which the head of a request must arrive, also the first one of a connection. */
const HEADERS_TIMEOUT_MS = 10_000;
/** The interval of checks for overdue requests, and thus the longest delay of a timeout. */
const TIMEOUT_CHECK_MS = 1_000;
const IDLE_CHECK_MS = 50;
/**
 * The quiet time that `allowTimeToReconnect` sets. It is longer than the pause of busy clients between two requests.
 */
const RECONNECT_MS = 5_000;
/** The time that handlers of cut requests have before the next step of the shutdown. */
const SETTLE_MS = 3_000;

export interface ApiServer {
  /** Listens and resolves with the port; port 0 takes a free one. */
  listen(port: number, host: string): Promise<number>;
  /**
   * Stops accepting connections, lets running requests finish, and closes connections when they are idle. After
   * `graceMs` it cuts the rest. Resolves when all are closed and their handlers are done, for which they have three
   * more seconds.
   */
  close(graceMs: number): Promise<void>;
  /**
   * Makes `close` wait until a connection was quiet for five seconds. The answer to its next request tells the client
   * to reconnect. If the connection closed at once, a request that is on its way would fail.
   */
  allowTimeToReconnect(): void;
  /** Returns whether `allowTimeToReconnect` was called, because another process serves the same port. */
  isReplaced(): boolean;
  /** Closes each connection after its next answer, and still accepts new ones. */
  closeAfterAnswers(): void;
  /** Resolves when no handler is running. */
  settled(): Promise<void>;
}

/** Handles a request. The promise resolves when all work for it is done, which may be long after its answer. */
export type RequestHandler = (...exchange: Parameters<RequestListener>) => Promise<void> | void;

export interface ServerOptions {
  /** Bounds the number of connections; absent: it is not bounded. */
  gate?: ConnectionGate;
  requestTimeoutMs?: number;
  headersTimeoutMs?: number;
  timeoutCheckMs?: number;
  /** Watches the rest of a body after its request was answered. */
  pace?: BodyPace;
}

export function createServer(handle: RequestHandler, options: ServerOptions = {}): ApiServer {
  const server = createHttpServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: options.timeoutCheckMs ?? TIMEOUT_CHECK_MS,
    // The application checks `Host` itself, so that its answer has the usual envelope.
    requireHostHeader: false,
  });
  const connections = trackConnections(server, options.gate);
  refuseBrokenRequests(server, connections);
  dropUnreadBodies(server, options.pace ?? createBodyPace());
  let underWay = 0;
  let quietMs = 0;
  let isLeaving = false;
  let listeners: Listeners | undefined;
  let idle: PromiseWithResolvers<void> | undefined;
  const settled = (): Promise<void> =>
    underWay === 0 ? Promise.resolve() : (idle ??= Promise.withResolvers<void>()).promise;
  const settle: RequestHandler = async (request, response) => {
    underWay += 1;
    // A client with a busy connection receives `connection: close` with its next answer.
    if (isLeaving) response.shouldKeepAlive = false;
    try {
      await handle(request, response);
    } finally {
      underWay -= 1;
      if (underWay === 0) {
        idle?.resolve();
        idle = undefined;
      }
    }
  };
  const listener: RequestListener = (request, response) => void settle(request, response);
  server.on('request', listener);
  // The body reader sends "100 Continue" itself, once the request is accepted.
  server.on('checkContinue', listener);
  // Node calls this method itself. It would close connections whose answers are not sent or whose requests are not
  // read.
  server.closeIdleConnections = () => {};
  return {
    async listen(port, host) {
      listeners = await listen(server, port, host);
      return listeners.port;
    },
    async close(graceMs) {
      isLeaving = true;
      if (listeners !== undefined) await drain(listeners, connections, { graceMs, quietMs });
      // Waits for handlers, because they use resources that the next steps of the shutdown close.
      const timer = new AbortController();
      const timeIsUp = delay(SETTLE_MS, undefined, { signal: timer.signal }).catch(() => {});
      await Promise.race([settled(), timeIsUp]);
      timer.abort();
    },
    allowTimeToReconnect() {
      quietMs = RECONNECT_MS;
    },
    isReplaced: () => quietMs > 0,
    closeAfterAnswers: () => void (isLeaving = true),
    settled,
  };
}

interface DrainTimes {
  graceMs: number;
  /** The time that a connection must be quiet before it is closed. */
  quietMs: number;
}

async function drain(
  listeners: Listeners,
  connections: Connections,
  { graceMs, quietMs }: DrainTimes,
): Promise<void> {
  const closed = listeners.close().then(() => 'closed' as const);
  const idleCheck = setInterval(() => closeIdle(connections, quietMs / IDLE_CHECK_MS), IDLE_CHECK_MS);
  const timer = new AbortController();
  const deadline = delay(graceMs, 'deadline' as const, { signal: timer.signal }).catch(
    () => 'closed' as const,
  );
  if ((await Promise.race([closed, deadline])) === 'deadline') {
    for (const socket of connections.keys()) cutOff(socket);
  }
  await closed;
  timer.abort();
  clearInterval(idleCheck);
  // The server emits `close` one turn of the event loop before its connections do.
  while (connections.size > 0) await nextTurn();
}

/**
 * Discards the rest of a body after its request was answered; most refusals are sent before the body is read. Closes
 * the connection if the rest arrives too slowly.
 */
function dropUnreadBodies(server: Server, pace: BodyPace): void {
  const listener: RequestListener = (request, response) => {
    response.once('close', () => {
      const { complete, socket } = request;
      // If the connection ends anyway, the rest does not matter.
      if (complete || !socket.writable) return;
      // A body whose reading was abandoned would otherwise stay paused.
      request.resume();
      request.once(
        'close',
        pace.watch(request, () => socket.destroy()),
      );
    });
  };
  server.on('request', listener).on('checkContinue', listener);
}
