import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { cutOff } from '../../platform/cut-off.ts';
import { closeIdle, type Connections, trackConnections } from './connections.ts';
import { dropUnreadBodies } from './drop-unread-bodies.ts';
import { type BodyPace, createBodyPace } from './request/body-pace.ts';

/** Longer than the idle time of usual load balancers, so that they are the ones to close. */
const KEEP_ALIVE_MS = 75_000;
/** How long a request may take to arrive, with its body. The time that its answer takes is not limited by this. */
const REQUEST_TIMEOUT_MS = 600_000;
const HEADERS_TIMEOUT_MS = 60_000;
/** A request is cut this much after its time at most. */
const TIMEOUT_CHECK_MS = 5_000;
const IDLE_CHECK_MS = 50;
/** Longer than clients that are busy leave between two requests. */
const TIME_TO_MOVE_MS = 5_000;
/** How long the handlers of requests that were cut off may take before the next step of the shutdown. */
const SETTLE_MS = 3_000;

export interface ApiServer {
  /** Resolves with the port in use; port 0 takes a free one. */
  listen(port: number, host: string): Promise<number>;
  /**
   * Stops taking connections, lets running requests finish, closes each connection once it is idle, and
   * cuts what is left after `graceMs`. Resolves when the last one is closed and its handler is done, for which it
   * has three seconds more.
   */
  close(graceMs: number): Promise<void>;
  /**
   * Makes `close` wait until a connection was quiet for five seconds before it closes it. Its next request is answered,
   * and tells the client to open another connection. Without this, a request that is on its way fails.
   */
  leaveTimeToMove(): void;
  /** Resolves when no handler is running. */
  settled(): Promise<void>;
}

/** A promise says when there is nothing left to do for the request, which may be long after its answer or its end. */
export type RequestHandler = (...exchange: Parameters<RequestListener>) => Promise<void> | void;

export interface ServerOptions {
  requestTimeoutMs?: number;
  headersTimeoutMs?: number;
  timeoutCheckMs?: number;
  /** Watches the rest of a body whose request has been answered. */
  pace?: BodyPace;
}

export function createServer(handle: RequestHandler, options: ServerOptions = {}): ApiServer {
  const server = createHttpServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: options.timeoutCheckMs ?? TIMEOUT_CHECK_MS,
  });
  const connections = trackConnections(server);
  dropUnreadBodies(server, options.pace ?? createBodyPace());
  let underWay = 0;
  let quietMs = 0;
  let idle: PromiseWithResolvers<void> | undefined;
  const settled = (): Promise<void> =>
    underWay === 0 ? Promise.resolve() : (idle ??= Promise.withResolvers<void>()).promise;
  const settle: RequestHandler = async (request, response) => {
    underWay += 1;
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
  // The body reader says "continue" itself, once the request is known to be welcome.
  server.on('checkContinue', listener);
  // Node's own, which it calls itself, cuts answers that are ended and not yet sent, and requests that nobody has read yet.
  server.closeIdleConnections = () => {};
  return {
    listen: (port, host) => listen(server, port, host),
    async close(graceMs) {
      await drain(server, connections, { graceMs, quietMs });
      // Handlers still use what is stopped after this.
      const timer = new AbortController();
      const timeIsUp = delay(SETTLE_MS, undefined, { signal: timer.signal }).catch(() => {});
      await Promise.race([settled(), timeIsUp]);
      timer.abort();
    },
    leaveTimeToMove() {
      quietMs = TIME_TO_MOVE_MS;
    },
    settled,
  };
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, host, resolve);
  await promise;
  server.off('error', reject);
  return (server.address() as AddressInfo).port;
}

interface DrainTimes {
  graceMs: number;
  /** How long a connection must have been quiet before it is closed. */
  quietMs: number;
}

async function drain(
  server: Server,
  connections: Connections,
  { graceMs, quietMs }: DrainTimes,
): Promise<void> {
  if (!server.listening) return;
  const { promise: closed, resolve } = Promise.withResolvers<'closed'>();
  server.close(() => resolve('closed'));
  // A client that keeps its connection busy is told to go elsewhere with the next request.
  const sendAway: RequestListener = (_request, response) => (response.shouldKeepAlive = false);
  server.prependListener('request', sendAway).prependListener('checkContinue', sendAway);
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
  // The server is closed a turn before its connections say so.
  while (connections.size > 0) await nextTurn();
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
