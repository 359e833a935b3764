import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { completed, askChat } from '../support/chat.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { deliveryEnded } from '../support/job-facts.ts';
import { ended, submit } from '../support/jobs.ts';
import { providerJobs } from '../support/provider-jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { findLosses, type Seen } from './find-losses.ts';

let gateway: Gateway;
let receiver: Receiver;
let jobId: string;
let generationId: string;
let seen: Seen;

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({ worker: ALL_QUEUES });
});
afterAll(async () => {
  await gateway.close();
  await receiver.close();
});

beforeEach(async () => {
  ({ id: generationId } = await completed(await askChat(gateway, {})));
  ({ id: jobId } = await submit(gateway, { callback_url: receiver.url }));
  await ended(gateway, jobId);
  await deliveryEnded(gateway, jobId);
  seen = {
    acceptedJobs: new Set([jobId]),
    answeredGenerations: new Set([generationId]),
    webhookIds: [`${jobId}-completed`, `${jobId}-completed`],
    providerJobs: await providerJobs(gateway),
  };
});

const losses = (changes: Partial<Seen> = {}): Promise<string[]> =>
  findLosses(gateway.database, gateway.config.database.url, { ...seen, ...changes });

test('findLosses returns nothing without losses, and accepts a webhook that came twice', async () => {
  expect(await losses()).toEqual([]);
});

test('findLosses names an accepted job that is not in the database', async () => {
  const lost = `${jobId}-not-there`;
  expect(await losses({ acceptedJobs: new Set([lost]) })).toEqual([
    `job ${lost} was accepted and is not in the database`,
  ]);
});

test('findLosses names an answered generation that is not in the ledger', async () => {
  expect(await losses({ answeredGenerations: new Set([generationId, 'gen-1-lost']) })).toEqual([
    'generation gen-1-lost was answered and is 0 times in the ledger',
  ]);
});

test('findLosses names a job without a webhook and one with two event ids', async () => {
  expect(await losses({ webhookIds: [] })).toEqual([
    `job ${jobId} brought the webhooks "", not ${jobId}-completed`,
  ]);
  expect(await losses({ webhookIds: [`${jobId}-completed`, `${jobId}-failed`] })).toEqual([
    `job ${jobId} brought the webhooks "${jobId}-completed, ${jobId}-failed", not ${jobId}-completed`,
  ]);
});

test("findLosses names a provider's job without a submission", async () => {
  expect(await losses({ providerJobs: [...seen.providerJobs, 'video_twice'] })).toEqual([
    "the provider's job video_twice belongs to 0 submissions, not one",
  ]);
});

test('findLosses names a failed job with everything that it lacks', async () => {
  gateway.upstream.addFaults({ kind: 'status', on: 'create', status: 400 });
  const { id } = await submit(gateway, { callback_url: receiver.url });
  await deliveryEnded(gateway, id);
  expect(await losses({ acceptedJobs: new Set([id]) })).toEqual([
    `job ${id} is failed, not completed`,
    `job ${id} has 0 stored files, not one`,
    `job ${id} has the deliveries "${id}-failed delivered"`,
    `job ${id} brought the webhooks "", not ${id}-completed`,
  ]);
});

test('findLosses names a row missing from the ledger and counters that differ', async () => {
  await gateway.database.query('delete from generations where id = $1', [generationId]);
  const [lost, verdict, ...others] = await losses();
  expect(lost).toBe(`generation ${generationId} was answered and is 0 times in the ledger`);
  expect(verdict).toContain('admin verify-ledger says "differs"');
  expect(others).toEqual([]);
});
