import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { FaultInput } from '../../upstream/faults.ts';
import { addVideoModel } from '../support/catalog.ts';
import { expectBalancedBooks } from '../support/expect-one-end.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { factsOf } from '../support/job-facts.ts';
import { ended, submit, type WireJob } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

let gateway: Gateway;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({
    worker: ALL_QUEUES,
    env: { PROVIDER_PLAIN_API_KEY: 'upstream-key', PROVIDER_DEAD_API_KEY: 'upstream-key' },
  });
  const plain = { provider: 'plain', adapter: 'openai-compatible' };
  const dead = { provider: 'dead', adapter: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1' };
  await addVideoModel(gateway, 'test/local-then-plain', [{ provider: 'local' }, plain]);
  await addVideoModel(gateway, 'test/dead-then-plain', [dead, plain]);
});

afterAll(async () => {
  await gateway.close();
  await receiver.close();
});

async function run(model: string, faults: Record<string, FaultInput[]>): Promise<WireJob> {
  const options = Object.fromEntries(Object.entries(faults).map(([slug, list]) => [slug, { faults: list }]));
  const { id } = await submit(gateway, { model, callback_url: receiver.url, provider: { options } });
  return ended(gateway, id);
}

describe('two endpoints', () => {
  test.each<[string, string, Record<string, FaultInput[]>]>([
    [
      'refuses the request',
      'test/local-then-plain',
      { local: [{ kind: 'status', on: 'create', status: 400 }] },
    ],
    [
      'is busy',
      'test/local-then-plain',
      { local: [{ kind: 'status', on: 'create', status: 429, retryAfter: '60' }] },
    ],
    ['cannot be reached', 'test/dead-then-plain', {}],
  ])('serve the job by the second one when the first %s', async (_, model, faults) => {
    const job = await run(model, faults);
    expect(job.status).toBe('completed');
    expect(await factsOf(gateway, job.id)).toMatchObject({
      submissions: ['refused', 'accepted'],
      generations: [{ status: 'completed' }],
      events: [`${job.id}-completed`],
    });
    const { rows } = await gateway.database.query('select provider from generations where id = $1', [
      job.generation_id,
    ]);
    expect(rows).toEqual([{ provider: 'plain' }]);
    const { typedSearchAttributes } = await gateway.temporal.workflow.getHandle(job.id).describe();
    const provider = typedSearchAttributes.getAll().find(({ key }) => key.name === 'SluiceProvider');
    expect(provider?.value).toBe('plain');
  });

  test('serve the job by the busy one when the other refuses for good', async () => {
    gateway.upstream.addFaults(
      { kind: 'status', on: 'create', status: 429, retryAfter: '1' },
      { kind: 'status', on: 'create', status: 400 },
    );
    const job = await run('test/local-then-plain', {});
    expect(job.status).toBe('completed');
    expect((await factsOf(gateway, job.id)).submissions).toEqual(['refused', 'refused', 'accepted']);
  });
});

test('the counters agree with the ledger and nothing stays reserved after all jobs', async () => {
  await expectBalancedBooks(gateway);
});
