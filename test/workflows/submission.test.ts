import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { FaultInput } from '../../providers/local/upstream/faults.ts';
import { addVideoModel } from '../support/catalog.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { factsOf } from '../support/job-facts.ts';
import { ended, inStatus, submit, type WireJob } from '../support/jobs.ts';
import { pendingActivity } from '../support/runs.ts';

const LOCAL = 'local/clip-canned';

let gateway: Gateway;
/** Refused with an hour's patience asked for: it has until its deadline, while the other tests run. */
let patient: WireJob;

beforeAll(async () => {
  gateway = await startGateway({
    env: {
      PROVIDER_PLAIN_API_KEY: 'upstream-key',
      PROVIDER_DEAD_API_KEY: 'upstream-key',
      JOB_PENDING_DEADLINE: '20s',
    },
  });
  const plain = { provider: 'plain', adapter: 'openai-compatible' };
  const dead = { provider: 'dead', adapter: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1' };
  await addVideoModel(gateway, 'test/plain', [plain]);
  await addVideoModel(gateway, 'test/local-then-plain', [{ provider: 'local' }, plain]);
  await addVideoModel(gateway, 'test/plain-then-local', [plain, { provider: 'local' }]);
  await addVideoModel(gateway, 'test/dead-then-plain', [dead, plain]);
  patient = await start(LOCAL, {
    local: [{ kind: 'status', on: 'create', status: 429, retryAfter: '3600' }],
  });
});

afterAll(() => gateway.close());

function start(model: string, faults: Record<string, FaultInput[]>): Promise<WireJob> {
  const options = Object.fromEntries(Object.entries(faults).map(([slug, list]) => [slug, { faults: list }]));
  return submit(gateway, { model, provider: { options } });
}

async function run(model: string, faults: Record<string, FaultInput[]>): Promise<WireJob> {
  return ended(gateway, (await start(model, faults)).id);
}

/** The submissions of a job as the provider received them. */
function received(job: WireJob) {
  return gateway.upstream.requests('create').filter(({ requestId }) => requestId === job.id);
}

describe('a provider that refuses with certainty', () => {
  test('400: the job fails with its words, and it is not asked again', async () => {
    const job = await run(LOCAL, {
      local: [{ kind: 'status', on: 'create', status: 400, message: 'No cats.' }],
    });
    expect(job).toMatchObject({ status: 'failed', error: 'No cats.' });
    expect(await factsOf(gateway, job.id)).toMatchObject({
      failureCode: 'provider_refused',
      submissions: ['refused'],
      generations: [{ status: 'failed', costNanos: '0' }],
    });
    expect(received(job)).toHaveLength(1);
  });

  test('401: the customer reads nothing of our account', async () => {
    const fault: FaultInput = {
      kind: 'status',
      on: 'create',
      status: 401,
      message: 'Key of ACME has expired',
    };
    const job = await run(LOCAL, { local: [fault] });
    expect(job.status).toBe('failed');
    expect(job.error).not.toContain('ACME');
  });

  test('429 twice: each answer ends a submission, the third is accepted under a key of its own', async () => {
    const fault: FaultInput = { kind: 'status', on: 'create', status: 429, retryAfter: '1', times: 2 };
    // Queued for whoever comes next: a new key makes the provider forget the faults of the job.
    gateway.upstream.addFaults(fault);
    const job = await run(LOCAL, {});
    expect(job.status).toBe('completed');
    expect((await factsOf(gateway, job.id)).submissions).toEqual(['refused', 'refused', 'accepted']);
    expect(received(job).map(({ idempotencyKey }) => idempotencyKey)).toEqual([
      `${job.id}-1`,
      `${job.id}-2`,
      `${job.id}-3`,
    ]);
  });

  test('429 that asks for an hour: the UI shows what is waited for, and a cancel does not wait', async () => {
    const fault: FaultInput = { kind: 'status', on: 'create', status: 429, retryAfter: '3600' };
    const { id } = await start(LOCAL, { local: [fault] });
    const pending = await eventually('the refusal', async () => {
      const activity = await pendingActivity(gateway, id);
      return activity?.lastFailure ? activity : undefined;
    });
    expect(pending).toMatchObject({ name: 'submitVideo', lastFailure: 'rate_limited (429)' });
    await gateway.call('POST', `/videos/${id}/cancel`);
    await inStatus(gateway, id, 'cancelled');
    expect(received({ id } as WireJob)).toHaveLength(1);
  });
});

describe('an unknown outcome, where the provider promises idempotency', () => {
  test.each<[string, FaultInput]>([
    ['dropped before it was accepted', { kind: 'drop', on: 'create' }],
    ['answered 500 before it was accepted', { kind: 'status', on: 'create', status: 500 }],
  ])('%s: is repeated under the same key', async (_, fault) => {
    const job = await run(LOCAL, { local: [fault] });
    expect(job.status).toBe('completed');
    expect((await factsOf(gateway, job.id)).submissions).toEqual(['accepted']);
    const keys = received(job).map(({ idempotencyKey }) => idempotencyKey);
    expect(keys).toEqual([`${job.id}-1`, `${job.id}-1`]);
  });

  test.each<[string, FaultInput]>([
    ['dropped after it was accepted', { kind: 'drop-after', on: 'create' }],
    ['accepted with a garbled answer', { kind: 'garbage', on: 'create' }],
    ['accepted with an answer of another shape', { kind: 'wrong-shape', on: 'create' }],
  ])('%s: is found again, not repeated', async (_, fault) => {
    const job = await run(LOCAL, { local: [fault] });
    expect(job.status).toBe('completed');
    expect((await factsOf(gateway, job.id)).submissions).toEqual(['accepted']);
    expect(received(job)).toHaveLength(1);
  });

  test('a refusal of the repetition says nothing about the first: the key stays the same', async () => {
    const job = await run(LOCAL, {
      local: [
        { kind: 'drop', on: 'create' },
        { kind: 'status', on: 'create', status: 429, retryAfter: '1' },
      ],
    });
    expect(job.status).toBe('completed');
    expect((await factsOf(gateway, job.id)).submissions).toEqual(['accepted']);
    expect(new Set(received(job).map(({ idempotencyKey }) => idempotencyKey))).toEqual(
      new Set([`${job.id}-1`]),
    );
  });

  test('a repetition that the provider finds wrong in itself ends the job with its words', async () => {
    const job = await run(LOCAL, {
      local: [
        { kind: 'drop', on: 'create' },
        { kind: 'status', on: 'create', status: 400, message: 'No dogs.' },
      ],
    });
    expect(job).toMatchObject({ status: 'failed', error: 'No dogs.' });
  });
});

describe('an unknown outcome, where the provider promises nothing', () => {
  test.each<[string, FaultInput]>([
    ['dropped before it was accepted', { kind: 'drop', on: 'create' }],
    ['dropped after it was accepted', { kind: 'drop-after', on: 'create' }],
    ['answered 500', { kind: 'status', on: 'create', status: 500 }],
    ['answered with garbage', { kind: 'garbage', on: 'create' }],
  ])('%s: fails as unconfirmed, unbilled, and is never sent twice', async (_, fault) => {
    const job = await run('test/plain', { plain: [fault] });
    expect(job).toMatchObject({ status: 'failed', error: expect.stringContaining('could not be confirmed') });
    expect(await factsOf(gateway, job.id)).toMatchObject({
      failureCode: 'unconfirmed',
      submissions: ['unconfirmed'],
      generations: [{ status: 'failed', costNanos: '0' }],
    });
    expect(received(job)).toHaveLength(1);
  });

  test('no other endpoint is asked after it', async () => {
    const job = await run('test/plain-then-local', { plain: [{ kind: 'drop', on: 'create' }] });
    expect(job.status).toBe('failed');
    expect(received(job)).toHaveLength(1);
  });
});

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
  ])('the first %s: the second serves the job', async (_, model, faults) => {
    const job = await run(model, faults);
    expect(job.status).toBe('completed');
    expect((await factsOf(gateway, job.id)).submissions).toEqual(['refused', 'accepted']);
    const { rows } = await gateway.database.query('select provider from generations where id = $1', [
      job.generation_id,
    ]);
    expect(rows).toEqual([{ provider: 'plain' }]);
    const { typedSearchAttributes } = await gateway.temporal.workflow.getHandle(job.id).describe();
    const provider = typedSearchAttributes.getAll().find(({ key }) => key.name === 'SluiceProvider');
    expect(provider?.value).toBe('plain');
  });

  test('one is busy and the other refuses for good: the busy one is asked again', async () => {
    gateway.upstream.addFaults(
      { kind: 'status', on: 'create', status: 429, retryAfter: '1' },
      { kind: 'status', on: 'create', status: 400 },
    );
    const job = await run('test/local-then-plain', {});
    expect(job.status).toBe('completed');
    expect((await factsOf(gateway, job.id)).submissions).toEqual(['refused', 'refused', 'accepted']);
  });
});

test('a provider that asks for more patience than the job has: the job expires on time', async () => {
  const job = await ended(gateway, patient.id);
  expect(job.status).toBe('expired');
  expect(await factsOf(gateway, job.id)).toMatchObject({
    failureCode: 'deadline_exceeded',
    submissions: ['refused'],
    generations: [{ status: 'expired', costNanos: '0' }],
  });
});
