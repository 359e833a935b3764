import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Certificate } from '../platform/self-signed-certificate.ts';

/** How a vendor ends a connection. */
export type Ending = 'closed' | 'reset';

export interface Ask {
  /** Which connection it came over, from 1 on. */
  connection: number;
  /** Which one it is on its connection, from 1 on. */
  nth: number;
  request: IncomingMessage;
  response: ServerResponse;
  /** Ends its connection, below TLS too. */
  end(how: Ending): void;
}

export interface FickleVendor {
  baseUrl: string;
  /** `connection.nth` of everything that was asked. */
  asks: string[];
  /** No more connections. */
  stopListening(): void;
  close(): Promise<void>;
}

/** A server that may end connections as it likes; speaks TLS when given a certificate of localhost. */
export async function startFickleVendor(
  answer: (ask: Ask) => void,
  certificate?: Certificate,
): Promise<FickleVendor> {
  const asks: string[] = [];
  const sockets: Socket[] = [];
  const counts = new Map<Socket, number>();

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const socket = sockets.findLast(({ remotePort }) => remotePort === request.socket.remotePort);
    if (socket === undefined) throw new Error('a request without a connection');
    const nth = (counts.get(socket) ?? 0) + 1;
    counts.set(socket, nth);
    const connection = sockets.indexOf(socket) + 1;
    asks.push(`${connection}.${nth}`);
    const end = (how: Ending): void => void (how === 'reset' ? socket.resetAndDestroy() : socket.destroy());
    answer({ connection, nth, request, response, end });
  };
  const server =
    certificate === undefined
      ? createServer(listener)
      : createTlsServer({ cert: certificate.certificate, key: certificate.privateKey }, listener);
  server.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    baseUrl: certificate === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`,
    asks,
    stopListening: () => void server.close(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
