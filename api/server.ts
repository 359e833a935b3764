import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Longer than the idle time of usual load balancers, so that they are the ones to close. */
const KEEP_ALIVE_MS = 75_000;
const IDLE_CHECK_MS = 50;

export interface ApiServer {
  /** Resolves with the port in use; port 0 takes a free one. */
  listen(port: number, host: string): Promise<number>;
  /**
   * Stops taking connections, lets running requests finish, closes each connection once it is idle, and
   * cuts what is left after `graceMs`. Resolves when the last one is closed.
   */
  close(graceMs: number): Promise<void>;
}

export function createServer(handle: RequestListener): ApiServer {
  const server = createHttpServer({ keepAliveTimeout: KEEP_ALIVE_MS }, handle);
  // The body reader says "continue" itself, once the request is known to be welcome.
  server.on('checkContinue', handle);
  const connections = trackConnections(server);
  return {
    listen: (port, host) => listen(server, port, host),
    close: (graceMs) => drain(server, connections, graceMs),
  };
}

function trackConnections(server: Server): Set<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, host, resolve);
  await promise;
  server.off('error', reject);
  return (server.address() as AddressInfo).port;
}

async function drain(server: Server, connections: Set<Socket>, graceMs: number): Promise<void> {
  if (!server.listening) return;
  const { promise: closed, resolve } = Promise.withResolvers<'closed'>();
  server.close(() => resolve('closed'));
  // A client that keeps its connection busy is told to go elsewhere with the next request.
  server.prependListener('request', (_request, response) => (response.shouldKeepAlive = false));
  const idleCheck = setInterval(() => {
    server.closeIdleConnections();
    // Clients open connections in advance. One over which nothing ever came is not idle to Node.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  }, IDLE_CHECK_MS);
  const timer = new AbortController();
  const deadline = delay(graceMs, 'deadline' as const, { signal: timer.signal }).catch(
    () => 'closed' as const,
  );
  if ((await Promise.race([closed, deadline])) === 'deadline') server.closeAllConnections();
  await closed;
  timer.abort();
  clearInterval(idleCheck);
}
