import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { eventually } from './eventually.ts';

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** Does with the connection what no HTTP server would do. */
export type Misdeed = (connection: Socket) => void;

export interface Receiver {
  url: string;
  received: Received[];
  /** What the next requests are answered with; the last one stays. */
  answers: ({ status: number; headers?: Record<string, string>; body?: string } | 'silence' | Misdeed)[];
  next(count: number): Promise<Received[]>;
  close(): Promise<void>;
}

/** A customer's webhook endpoint. */
export async function startReceiver(...answers: Receiver['answers']): Promise<Receiver> {
  const received: Received[] = [];
  const queue = answers.length === 0 ? [{ status: 204 }] : answers;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
      const answer = queue.length > 1 ? queue.shift()! : queue[0]!;
      if (answer === 'silence') return;
      if (typeof answer === 'function') return answer(request.socket);
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answers: queue,
    next: (count) =>
      eventually(`${count} webhooks`, async () => (received.length >= count ? received : undefined)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
