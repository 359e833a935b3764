import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { FaultInput } from '../../../providers/local/upstream/faults.ts';
import { submitJob } from '../../../services/jobs/submit-job.ts';
import type { SubmitDeps, SubmitStep } from '../../../services/jobs/send-submission.ts';
import { type TestActivityDeps, createActivityDeps } from '../../support/activity-deps.ts';
import { addVideoModel } from '../../support/catalog.ts';
import { eventually } from '../../support/eventually.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { factsOf } from '../../support/job-facts.ts';
import { submit } from '../../support/jobs.ts';

let gateway: Gateway;
let deps: TestActivityDeps;

beforeAll(async () => {
  gateway = await startGateway({ worker: false, env: { PROVIDER_PLAIN_API_KEY: 'upstream-key' } });
  await addVideoModel(gateway, 'test/plain', [{ provider: 'plain', adapter: 'openai-compatible' }]);
  deps = await createActivityDeps(gateway);
});

afterAll(async () => {
  await deps.close();
  await gateway.close();
});

async function openJob(
  faults: FaultInput[],
  model = 'local/clip-canned',
  provider = 'local',
): Promise<string> {
  const { id } = await submit(gateway, { model, provider: { options: { [provider]: { faults } } } });
  return id;
}

function attempt(
  jobId: string,
  runId = 'run-1',
  over: Partial<SubmitDeps> = {},
  signal = new AbortController().signal,
): Promise<SubmitStep> {
  const context = { signal, requestId: jobId };
  return submitJob({ ...deps.video, ...over }, jobId, runId, context);
}

function asked(target: string, jobId: string) {
  return gateway.upstream.requests(target).filter(({ requestId }) => requestId === jobId);
}

const LATE: FaultInput = { kind: 'delay', on: 'create', delayMs: 1_000, times: 2 };

describe('two attempts of one submission beside each other', () => {
  test('at a provider that is idempotent: both find the same job, and it is left running', async () => {
    const jobId = await openJob([LATE]);
    const first = attempt(jobId);
    await eventually('the first call', async () => asked('create', jobId)[0]);
    const steps = await Promise.all([first, attempt(jobId)]);
    expect(steps.map(({ kind }) => kind)).toEqual(['accepted', 'accepted']);
    expect((await factsOf(gateway, jobId)).submissions).toEqual(['accepted']);
    expect(new Set(asked('create', jobId).map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(asked('delete', jobId)).toEqual([]);
  });

  test('at a provider without any promise: the second waits for as long as the first may take', async () => {
    const jobId = await openJob([LATE], 'test/plain', 'plain');
    const first = attempt(jobId);
    await eventually('the first call', async () => asked('create', jobId)[0]);
    expect(await attempt(jobId)).toMatchObject({ kind: 'retry', word: 'the submission may be under way' });
    expect((await first).kind).toBe('accepted');
    expect((await attempt(jobId)).kind).toBe('accepted');
    expect(asked('create', jobId)).toHaveLength(1);
    expect(asked('delete', jobId)).toEqual([]);
  });

  test('at such a provider, after that time: given up, and what arrives late is cancelled there', async () => {
    const jobId = await openJob([LATE], 'test/plain', 'plain');
    const first = attempt(jobId);
    await eventually('the first call', async () => asked('create', jobId)[0]);
    await gateway.database.query(
      `update job_submissions set sent_at = now() - interval '2 minutes' where job_id = $1`,
      [jobId],
    );
    expect(await attempt(jobId)).toEqual({ kind: 'ended', end: { status: 'failed', code: 'unconfirmed' } });
    expect(await first).toEqual({ kind: 'not_claimed' });
    expect((await factsOf(gateway, jobId)).submissions).toEqual(['orphaned']);
    expect(asked('create', jobId)).toHaveLength(1);
    expect(asked('delete', jobId)).toHaveLength(1);
  });
});

test('a submission that was given up is not followed by another one, although the answer to that was lost', async () => {
  const jobId = await openJob([{ kind: 'drop-after', on: 'create' }], 'test/plain', 'plain');
  const unconfirmed = { kind: 'ended', end: { status: 'failed', code: 'unconfirmed' } };
  expect(await attempt(jobId)).toEqual(unconfirmed);
  expect(await attempt(jobId, 'run-2')).toEqual(unconfirmed);
  expect((await factsOf(gateway, jobId)).submissions).toEqual(['unconfirmed']);
  expect(asked('create', jobId)).toHaveLength(1);
});

describe('a claim', () => {
  test('of a job that another run has in progress is refused', async () => {
    const jobId = await openJob([{ kind: 'stall' }]);
    expect((await attempt(jobId, 'run-1')).kind).toBe('accepted');
    expect(await attempt(jobId, 'run-2')).toEqual({ kind: 'not_claimed' });
    expect((await attempt(jobId, 'run-1')).kind).toBe('accepted');
    expect(asked('create', jobId)).toHaveLength(1);
  });

  test('of an unknown job is refused', async () => {
    expect(await attempt('gen-vid-1-00000000000000000000')).toEqual({ kind: 'not_claimed' });
  });
});

describe('the wait before the next submission', () => {
  test('is never shorter than the floor, though the provider says "at once"', async () => {
    const jobId = await openJob([{ kind: 'status', on: 'create', status: 429, retryAfter: '0' }]);
    expect(await attempt(jobId)).toEqual({ kind: 'retry', delayMs: 1_000, word: 'rate_limited (429)' });
  });

  test('never passes the deadline', async () => {
    const jobId = await openJob([{ kind: 'status', on: 'create', status: 429, retryAfter: '3600' }]);
    await gateway.database.query(
      `update video_jobs set deadline_at = now() + interval '5 seconds' where id = $1`,
      [jobId],
    );
    const step = await attempt(jobId);
    expect(step.kind === 'retry' && step.delayMs! <= 5_000).toBe(true);
  });
});

test('a worker that stops before its call costs the job one attempt, not its life', async () => {
  const jobId = await openJob([]);
  expect((await attempt(jobId, 'run-1', {}, AbortSignal.abort())).kind).toBe('retry');
  expect((await attempt(jobId)).kind).toBe('accepted');
  expect((await factsOf(gateway, jobId)).submissions).toEqual(['refused', 'accepted']);
});

test('a submission is numbered after the last one, although one before it left no row', async () => {
  const jobId = await openJob([]);
  await gateway.database.query(
    `insert into job_submissions (job_id, n, endpoint_id, provider, idempotency_key, state)
     select $1, n, 'local/clip-canned@local', 'local', n::text, 'refused' from unnest('{1,3}'::int[]) n`,
    [jobId],
  );
  expect((await attempt(jobId)).kind).toBe('accepted');
  expect(asked('create', jobId).map(({ idempotencyKey }) => idempotencyKey)).toEqual([`${jobId}-4`]);
});

test('a job that no worker can submit waits, and nothing is on record as sent', async () => {
  const jobId = await openJob([]);
  const step = await attempt(jobId, 'run-1', { videoAdapter: () => undefined });
  expect(step).toMatchObject({ kind: 'retry', word: 'no worker can reach the provider' });
  expect((await factsOf(gateway, jobId)).submissions).toEqual([]);
});

test('a job that was cancelled or expired before its turn is not submitted', async () => {
  const cancelled = await openJob([]);
  await gateway.call('POST', `/videos/${cancelled}/cancel`);
  expect(await attempt(cancelled)).toMatchObject({ kind: 'ended', end: { status: 'cancelled' } });
  const expired = await openJob([]);
  await gateway.database.query('update video_jobs set deadline_at = now() where id = $1', [expired]);
  expect(await attempt(expired)).toMatchObject({ kind: 'ended', end: { status: 'expired' } });
  expect([...asked('create', cancelled), ...asked('create', expired)]).toEqual([]);
});
