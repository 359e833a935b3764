import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Longer than the idle time of usual load balancers, so that they are the ones to close. */
const KEEP_ALIVE_MS = 75_000;
const IDLE_CHECK_MS = 50;
/** A connection over which something came that is no request, and nothing more for so many looks, waits for nothing. */
const SILENT_LOOKS = 40;

export interface ApiServer {
  /** Resolves with the port in use; port 0 takes a free one. */
  listen(port: number, host: string): Promise<number>;
  /**
   * Stops taking connections, lets running requests finish, closes each connection once it is idle, and
   * cuts what is left after `graceMs`. Resolves when the last one is closed, and those who waited for it know.
   */
  close(graceMs: number): Promise<void>;
}

export function createServer(handle: RequestListener): ApiServer {
  const server = createHttpServer({ keepAliveTimeout: KEEP_ALIVE_MS });
  const connections = trackConnections(server);
  server.on('request', handle);
  // The body reader says "continue" itself, once the request is known to be welcome.
  server.on('checkContinue', handle);
  // Node's own, which it calls itself, cuts answers that are ended and not yet sent, and requests that nobody has read yet.
  server.closeIdleConnections = () => {};
  return {
    listen: (port, host) => listen(server, port, host),
    close: (graceMs) => drain(server, connections, graceMs),
  };
}

interface Connection {
  /** Answers that are not yet sent. */
  answers: number;
  /** What had been read of it when the last of them was sent, or the last request was read. */
  bytesRead: number;
  /** What had been read at the last look, and for how many looks. */
  seenBytes: number;
  silentLooks: number;
}

type Connections = Map<Socket, Connection>;

function trackConnections(server: Server): Connections {
  const open: Connections = new Map();
  server.on('connection', (socket) => {
    open.set(socket, { answers: 0, bytesRead: 0, seenBytes: 0, silentLooks: 0 });
    socket.once('close', () => open.delete(socket));
  });
  const count: RequestListener = (request, response) => {
    const { socket } = request;
    const connection = open.get(socket);
    if (connection === undefined) return;
    const note = (): void => void (connection.bytesRead = socket.bytesRead);
    connection.answers += 1;
    // A body may come after its answer.
    request.once('close', note);
    response.once('close', () => {
      connection.answers -= 1;
      note();
    });
  };
  server.on('request', count).on('checkContinue', count);
  return open;
}

/** Also those that clients open in advance, over which nothing ever came. */
function closeIdle(connections: Connections): void {
  for (const [socket, connection] of connections) {
    const { answers, bytesRead, seenBytes } = connection;
    connection.silentLooks = socket.bytesRead === seenBytes ? connection.silentLooks + 1 : 0;
    connection.seenBytes = socket.bytesRead;
    const waits = socket.bytesRead !== bytesRead && connection.silentLooks < SILENT_LOOKS;
    if (answers === 0 && !waits) socket.destroy();
  }
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, host, resolve);
  await promise;
  server.off('error', reject);
  return (server.address() as AddressInfo).port;
}

async function drain(server: Server, connections: Connections, graceMs: number): Promise<void> {
  if (!server.listening) return;
  const { promise: closed, resolve } = Promise.withResolvers<'closed'>();
  server.close(() => resolve('closed'));
  // A client that keeps its connection busy is told to go elsewhere with the next request.
  const sendAway: RequestListener = (_request, response) => (response.shouldKeepAlive = false);
  server.prependListener('request', sendAway).prependListener('checkContinue', sendAway);
  const idleCheck = setInterval(() => closeIdle(connections), IDLE_CHECK_MS);
  const timer = new AbortController();
  const deadline = delay(graceMs, 'deadline' as const, { signal: timer.signal }).catch(
    () => 'closed' as const,
  );
  if ((await Promise.race([closed, deadline])) === 'deadline') server.closeAllConnections();
  await closed;
  timer.abort();
  clearInterval(idleCheck);
  // The server is closed a turn before its connections say so, and whoever was cut off settles only then: what stops
  // after this must still be there for it.
  for (let turns = 0; turns < 2 || connections.size > 0; turns += 1) await nextTurn();
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
