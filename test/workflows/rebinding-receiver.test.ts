import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLogger } from '../../platform/logger.ts';
import { type StartedWorker, startWorker } from '../../worker/start-worker.ts';
import { expectBalancedBooks, expectCompletedOnce } from '../support/expect-one-end.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ensureRuntime } from '../support/runtime.ts';
import { deliveryEnded } from '../support/job-facts.ts';
import { submit } from '../support/jobs.ts';
import type { Received } from '../support/receiver.ts';

/** The one address that may be reached here, and others of this machine and its network that may not. */
const OPEN = '127.0.0.1';
const PRIVATE = '127.0.0.2';

/** What the receiver's name leads to, one answer for each time that it is asked for. */
const ANSWERS: (string[] | Error)[] = [
  [OPEN],
  [PRIVATE],
  ['10.0.0.1'],
  [OPEN, PRIVATE],
  ['169.254.169.254'],
  Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }),
  [OPEN],
];

let gateway: Gateway;
let worker: StartedWorker;
let server: Server;
const asked: string[] = [];
const received: Received[] = [];
/** The addresses at which the receiver was reached. */
const reached: (string | undefined)[] = [];

beforeAll(async () => {
  server = await startReceiverEverywhere();
  gateway = await startGateway({
    env: {
      OUTBOUND_ALLOW: `${OPEN}/32,hooks.example`,
      WEBHOOK_SCHEDULE_SECONDS: ANSWERS.map(() => 0).join(','),
    },
  });
  ensureRuntime();
  // From the sources, as `npm start` has it: without the bundle that other suites share.
  worker = await startWorker(gateway.config, createLogger({ level: 'fatal', name: 'test' }), {
    async resolveHost(hostname) {
      const answer = ANSWERS[asked.push(hostname) - 1] ?? [];
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
});

afterAll(async () => {
  for (const { run } of worker.shutdownSteps) await run();
  await gateway.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** On every address of this machine: a connection to a private one would be seen, not refused. */
async function startReceiverEverywhere(): Promise<Server> {
  const everywhere = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
      // The next attempt must connect, and so ask for the address, again.
      response.writeHead(received.length === 1 ? 500 : 204, { connection: 'close' }).end();
    });
  });
  everywhere.on('connection', ({ localAddress }) => reached.push(localAddress));
  await new Promise<void>((resolve) => everywhere.listen(0, '0.0.0.0', resolve));
  return everywhere;
}

test('a webhook host that resolves to private addresses is not called there, and attempts continue', async () => {
  const { port } = server.address() as AddressInfo;
  const { id } = await submit(gateway, { callback_url: `http://hooks.example:${port}/` });
  expect((await deliveryEnded(gateway, id)).attempts).toEqual([
    '0.1 failed 500',
    '0.2 refused address_not_allowed',
    '0.3 refused address_not_allowed',
    '0.4 refused address_not_allowed',
    '0.5 refused address_not_allowed',
    '0.6 failed The endpoint could not be reached (ENOTFOUND)',
    '0.7 delivered 204',
  ]);
  expect(reached).toEqual([OPEN, OPEN]);
  // Once each: the address that was judged is the one that was connected to.
  expect(asked).toEqual(ANSWERS.map(() => 'hooks.example'));
  await expectCompletedOnce(gateway, { received }, id);
  await expectBalancedBooks(gateway);
});
