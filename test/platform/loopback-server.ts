import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './self-signed-certificate.ts';

export interface LoopbackServer {
  port: number;
  /** Such as `http://127.0.0.1:<port>`. */
  origin: string;
  /** How many sockets were opened to it. */
  connections(): number;
  close(): Promise<void>;
}

/** A real server on a free port of 127.0.0.1 or another loopback address; speaks TLS when given a certificate. */
export async function startLoopbackServer(
  listener: RequestListener,
  certificate?: Certificate,
  address = '127.0.0.1',
): Promise<LoopbackServer> {
  const server: Server =
    certificate === undefined
      ? createServer(listener)
      : createTlsServer({ cert: certificate.certificate, key: certificate.privateKey }, listener);
  let connections = 0;
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http${certificate === undefined ? '' : 's'}://${address}:${port}`,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
