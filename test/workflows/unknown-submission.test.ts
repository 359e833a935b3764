import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { FaultInput } from '../../upstream/faults.ts';
import { addVideoModel } from '../support/catalog.ts';
import {
  asked,
  expectBalancedBooks,
  expectCompletedOnce,
  expectEndedOnce,
} from '../support/expect-one-end.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { factsOf } from '../support/job-facts.ts';
import { ended, submit, type WireJob } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const LOCAL = 'local/clip-canned';
const UNCONFIRMED = { status: 'failed', failureCode: 'unconfirmed' };

let gateway: Gateway;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({ worker: ALL_QUEUES, env: { PROVIDER_PLAIN_API_KEY: 'upstream-key' } });
  const plain = { provider: 'plain', adapter: 'openai-compatible' };
  await addVideoModel(gateway, 'test/plain', [plain]);
  await addVideoModel(gateway, 'test/plain-then-local', [plain, { provider: 'local' }]);
});

afterAll(async () => {
  await gateway.close();
  await receiver.close();
});

async function run(model: string, slug: string, ...faults: FaultInput[]): Promise<WireJob> {
  const options = { [slug]: { faults } };
  const { id } = await submit(gateway, { model, callback_url: receiver.url, provider: { options } });
  return ended(gateway, id);
}

describe('an unknown outcome at an idempotent provider', () => {
  test.each<[string, FaultInput]>([
    ['dropped before it was accepted', { kind: 'drop', on: 'create' }],
    ['answered 500 before it was accepted', { kind: 'status', on: 'create', status: 500 }],
  ])('leads to a repetition under the same key: %s', async (_, fault) => {
    const job = await run(LOCAL, 'local', fault);
    await expectCompletedOnce(gateway, receiver, job.id);
    const keys = asked(gateway, 'create', job.id).map(({ idempotencyKey }) => idempotencyKey);
    expect(keys).toEqual([`${job.id}-1`, `${job.id}-1`]);
  });

  test.each<[string, FaultInput]>([
    ['dropped after it was accepted', { kind: 'drop-after', on: 'create' }],
    ['accepted with a garbled answer', { kind: 'garbage', on: 'create' }],
    ['accepted with an answer of another shape', { kind: 'wrong-shape', on: 'create' }],
  ])('leads to the accepted job without a second submission: %s', async (_, fault) => {
    const job = await run(LOCAL, 'local', fault);
    await expectCompletedOnce(gateway, receiver, job.id);
    expect(asked(gateway, 'create', job.id)).toHaveLength(1);
  });

  test('keeps its key when the repetition is refused with 429', async () => {
    const job = await run(
      LOCAL,
      'local',
      { kind: 'drop', on: 'create' },
      { kind: 'status', on: 'create', status: 429, retryAfter: '1' },
    );
    await expectCompletedOnce(gateway, receiver, job.id);
    expect(new Set(asked(gateway, 'create', job.id).map(({ idempotencyKey }) => idempotencyKey))).toEqual(
      new Set([`${job.id}-1`]),
    );
  });

  test("fails the job with the provider's message when the repetition gets a 400", async () => {
    const job = await run(
      LOCAL,
      'local',
      { kind: 'drop', on: 'create' },
      { kind: 'status', on: 'create', status: 400, message: 'No dogs.' },
    );
    expect(job).toMatchObject({ status: 'failed', error: 'No dogs.' });
  });
});

describe('an unknown outcome at a provider without idempotency', () => {
  test.each<[string, FaultInput]>([
    ['dropped before it was accepted', { kind: 'drop', on: 'create' }],
    ['dropped after it was accepted', { kind: 'drop-after', on: 'create' }],
    ['answered 500', { kind: 'status', on: 'create', status: 500 }],
    ['answered with garbage', { kind: 'garbage', on: 'create' }],
  ])('fails the job as unconfirmed, unbilled and sent once: %s', async (_, fault) => {
    const job = await run('test/plain', 'plain', fault);
    expect(job).toMatchObject({ status: 'failed', error: expect.stringContaining('could not be confirmed') });
    await expectEndedOnce(gateway, receiver, job.id, UNCONFIRMED);
    expect((await factsOf(gateway, job.id)).submissions).toEqual(['unconfirmed']);
    expect(asked(gateway, 'create', job.id)).toHaveLength(1);
  });

  test('leads to no submission at another endpoint', async () => {
    const job = await run('test/plain-then-local', 'plain', { kind: 'drop', on: 'create' });
    await expectEndedOnce(gateway, receiver, job.id, UNCONFIRMED);
    expect(asked(gateway, 'create', job.id)).toHaveLength(1);
  });
});

test('the counters agree with the ledger and nothing stays reserved after all outcomes', async () => {
  await expectBalancedBooks(gateway);
});
