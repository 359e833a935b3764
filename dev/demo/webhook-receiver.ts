/** Receives the signed webhook of the demo. */
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { HOST } from '../settings.ts';
import { StackError } from '../stack-error.ts';

export interface WebhookReceiver {
  url: string;
  /** Resolves with the body of the first webhook with a valid signature. Throws a StackError after the timeout. */
  received(timeoutMs: number): Promise<unknown>;
  close(): void;
}

/** Starts a customer's endpoint, which receives webhooks on a free port and verifies them with the public library. */
export async function createWebhookReceiver(secret: string): Promise<WebhookReceiver> {
  const verified = Promise.withResolvers<unknown>();
  const webhook = new Webhook(secret);
  let lastProblem = 'none arrived';
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString('utf8');
    try {
      verified.resolve(webhook.verify(body, request.headers as Record<string, string>));
      response.writeHead(204).end();
    } catch (error) {
      lastProblem = `one arrived, but: ${error instanceof Error ? error.message : String(error)}`;
      response.writeHead(400).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://${HOST}:${port}/webhook`,
    async received(timeoutMs) {
      const late = new Promise<never>((_resolve, reject) => {
        setTimeout(() => {
          reject(new StackError(`No valid webhook within ${timeoutMs / 1000} s: ${lastProblem}.`));
        }, timeoutMs).unref();
      });
      return Promise.race([verified.promise, late]);
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
