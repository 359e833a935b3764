/** Opens the port of the API with several listeners. */
import cluster from 'node:cluster';
import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';

/**
 * The connections that the kernel holds for a listener until the process accepts them. When there are more, it drops
 * some, and their clients try again after a second.
 */
const BACKLOG = 4_096;

/**
 * The number of listeners of a process. Node accepts one connection of each listener per turn of its event loop, and a
 * turn is long while many callers are busy. With one listener, callers who reconnect all the time keep others waiting
 * for seconds.
 */
const LISTENERS = 8;

/** Other systems do not divide the connections of a port among listeners. */
const CAN_SHARE_PORT = process.platform === 'linux';

export interface Listeners {
  port: number;
  /** Stops accepting connections. Resolves when all accepted ones are closed. */
  close(): Promise<void>;
}

/**
 * Opens a port; 0 takes a free one. Rejects if it is in use. Children of a cluster get their connections from the
 * primary process.
 */
export async function listen(server: HttpServer, port: number, host: string): Promise<Listeners> {
  if (cluster.isWorker || !CAN_SHARE_PORT) {
    const own = await open(server, { port, host });
    return { port: own, close: () => close([server]) };
  }
  // Listeners that share a port would also share it with those of another Sluice.
  if (port !== 0) await expectFree(port, host);
  const options = { host, reusePort: true };
  const own = await open(server, { port, ...options });
  const others = Array.from({ length: LISTENERS - 1 }, () =>
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket)),
  );
  for (const other of others) await open(other, { port: own, ...options });
  return { port: own, close: () => close([server, ...others]) };
}

async function expectFree(port: number, host: string): Promise<void> {
  const server = createServer();
  await open(server, { port, host });
  await close([server]);
}

/** Resolves with the port. */
async function open(
  server: Server,
  options: { port: number; host: string; reusePort?: boolean },
): Promise<number> {
  server.listen({ ...options, backlog: BACKLOG });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function close(servers: Server[]): Promise<void> {
  await Promise.all(
    servers.map(
      (server) =>
        new Promise<void>((resolve) => {
          server.close(() => resolve());
        }),
    ),
  );
}
