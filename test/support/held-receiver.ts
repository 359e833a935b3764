import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Receiver } from './receiver.ts';

export interface HeldReceiver extends Receiver {
  /** Answers what was held so far, and all that comes from now on. */
  release(): void;
}

/** A customer's webhook endpoint that takes the event and lets the sender wait for its 204. */
export async function startHeldReceiver(receiver: Receiver): Promise<HeldReceiver> {
  let held: (() => void)[] | undefined = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      receiver.received.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
      const answer = (): void => void response.writeHead(204).end();
      if (held === undefined) answer();
      else held.push(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    ...receiver,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    release() {
      for (const answer of held ?? []) answer();
      held = undefined;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
