import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface SilentServer {
  /** `host:port`. */
  address: string;
  /** Connections so far. */
  connections(): number;
  close(): Promise<void>;
}

/** Accepts every connection and never says a word, like a server that hangs. */
export async function startSilentServer(): Promise<SilentServer> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}).resume());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => sockets.length,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
