import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { factsOf } from '../../support/job-facts.ts';
import { getJob, type WireJob } from '../../support/jobs.ts';
import { settleJob } from '../../../services/videos/settle-job.ts';
import { startSubmitScene, type SubmitScene } from './submit-scene.ts';

let scene: SubmitScene;

beforeAll(async () => {
  scene = await startSubmitScene();
});

afterAll(() => scene.close());

describe('the claim of a job', () => {
  test('fails while another run has it in progress', async () => {
    const jobId = await scene.openJob([{ kind: 'stall' }]);
    expect((await scene.attempt(jobId, 'run-1')).kind).toBe('accepted');
    expect(await scene.attempt(jobId, 'run-2')).toEqual({ kind: 'not_claimed' });
    expect((await scene.attempt(jobId, 'run-1')).kind).toBe('accepted');
    expect(scene.asked('create', jobId)).toHaveLength(1);
  });

  test('fails for an unknown job', async () => {
    expect(await scene.attempt('gen-vid-1-00000000000000000000')).toEqual({ kind: 'not_claimed' });
  });
});

describe('the wait before the next submission', () => {
  const BUSY = { kind: 'status', on: 'create', status: 429, retryAfter: '1' } as const;

  async function delaysOf(jobId: string, attempts: number): Promise<(number | undefined)[]> {
    const delays = [];
    for (let i = 0; i < attempts; i += 1) {
      const step = await scene.attempt(jobId);
      delays.push(step.kind === 'retry' ? step.delayMs : undefined);
    }
    return delays;
  }

  test('lasts a second at least, even if Retry-After is 0', async () => {
    const jobId = await scene.openJob([{ kind: 'status', on: 'create', status: 429, retryAfter: '0' }]);
    expect(await scene.attempt(jobId)).toEqual({
      kind: 'retry',
      delayMs: 1_000,
      reason: 'rate_limited (429)',
      waiting: 'rate_limited',
    });
  });

  test('doubles with every refusal, even if Retry-After stays at 1', async () => {
    const jobId = await scene.openJob([]);
    scene.gateway.upstream.addFaults({ ...BUSY, times: 4 });
    expect(await delaysOf(jobId, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
  });

  test('doubles once for each round of several endpoints', async () => {
    const jobId = await scene.openJob([]);
    await scene.gateway.database.query(
      `update video_jobs set endpoint_ids = endpoint_ids || endpoint_ids where id = $1`,
      [jobId],
    );
    scene.gateway.upstream.addFaults({ ...BUSY, times: 6 });
    expect(await delaysOf(jobId, 3)).toEqual([1_000, 2_000, 4_000]);
    expect((await factsOf(scene.gateway, jobId)).submissions).toHaveLength(6);
  });

  test('lasts a minute at most unless the provider asks for more', async () => {
    const jobId = await scene.openJob([]);
    await scene.gateway.database.query(
      `insert into job_submissions (job_id, n, endpoint_id, provider, idempotency_key, state)
       values ($1, 30000, 'local/clip-canned@local', 'local', 'long before', 'refused')`,
      [jobId],
    );
    scene.gateway.upstream.addFaults({ ...BUSY });
    expect(await delaysOf(jobId, 1)).toEqual([60_000]);
    scene.gateway.upstream.addFaults({ ...BUSY, retryAfter: '90' });
    expect(await delaysOf(jobId, 1)).toEqual([90_000]);
    expect(scene.asked('create', jobId).at(-1)?.idempotencyKey).toBe(`${jobId}-30002`);
  });

  test('never passes the deadline', async () => {
    const jobId = await scene.openJob([{ kind: 'status', on: 'create', status: 429, retryAfter: '3600' }]);
    await scene.gateway.database.query(
      `update video_jobs set deadline_at = now() + interval '5 seconds' where id = $1`,
      [jobId],
    );
    const step = await scene.attempt(jobId);
    expect(step.kind === 'retry' && step.delayMs! <= 5_000).toBe(true);
  });
});

describe('the waiting field of a job', () => {
  const show = (jobId: string): Promise<WireJob> => getJob(scene.gateway, jobId);
  const busy = (retryAfter: string): void =>
    scene.gateway.upstream.addFaults({ kind: 'status', on: 'create', status: 429, retryAfter });

  test('shows queued until a worker begins', async () => {
    const jobId = await scene.openJob([]);
    const job = await show(jobId);
    expect(job.waiting).toEqual({ reason: 'queued', since: job.created_at, next_try_at: null });
    const list = await scene.gateway.call('GET', '/videos?limit=1');
    expect(await list.json()).toMatchObject({ data: [{ id: jobId, waiting: { reason: 'queued' } }] });
  });

  test('shows the reason, its start and the next try', async () => {
    const jobId = await scene.openJob([]);
    busy('60');
    await scene.attempt(jobId);
    const first = (await show(jobId)).waiting!;
    expect(first).toMatchObject({ reason: 'rate_limited' });
    expect(Date.parse(first.next_try_at!) - Date.parse(first.since)).toBe(60_000);

    busy('90');
    await scene.attempt(jobId);
    const second = (await show(jobId)).waiting!;
    expect(second).toMatchObject({ reason: 'rate_limited', since: first.since });
    expect(Date.parse(second.next_try_at!)).toBeGreaterThan(Date.parse(first.since) + 90_000);

    await scene.attempt(jobId, 'run-1', { videoAdapter: () => undefined });
    const third = (await show(jobId)).waiting!;
    expect(third.reason).toBe('no_worker');
    expect(Date.parse(third.since)).toBeGreaterThan(Date.parse(first.since));
  });

  test('becomes null once a provider accepted the job', async () => {
    const jobId = await scene.openJob([]);
    busy('60');
    await scene.attempt(jobId);
    expect((await scene.attempt(jobId)).kind).toBe('accepted');
    expect(await show(jobId)).toMatchObject({ status: 'in_progress', waiting: null });
  });

  test('becomes null once the job has ended', async () => {
    const jobId = await scene.openJob([]);
    busy('60');
    await scene.attempt(jobId);
    await settleJob(scene.deps.video, jobId, { status: 'expired', code: 'deadline_exceeded' });
    expect(await show(jobId)).toMatchObject({ status: 'expired', waiting: null });
  });
});

test('a worker that stops before its call costs the job one attempt only', async () => {
  const jobId = await scene.openJob([]);
  expect((await scene.attempt(jobId, 'run-1', {}, AbortSignal.abort())).kind).toBe('retry');
  expect((await scene.attempt(jobId)).kind).toBe('accepted');
  expect((await factsOf(scene.gateway, jobId)).submissions).toEqual(['refused', 'accepted']);
});

test("a submission's number follows the highest one, even if one before it left no row", async () => {
  const jobId = await scene.openJob([]);
  await scene.gateway.database.query(
    `insert into job_submissions (job_id, n, endpoint_id, provider, idempotency_key, state)
     select $1, n, 'local/clip-canned@local', 'local', n::text, 'refused' from unnest('{1,3}'::int[]) n`,
    [jobId],
  );
  expect((await scene.attempt(jobId)).kind).toBe('accepted');
  expect(scene.asked('create', jobId).map(({ idempotencyKey }) => idempotencyKey)).toEqual([`${jobId}-4`]);
});

test('a job that no worker can submit waits without a submission on record', async () => {
  const jobId = await scene.openJob([]);
  const step = await scene.attempt(jobId, 'run-1', { videoAdapter: () => undefined });
  expect(step).toMatchObject({ kind: 'retry', reason: 'no worker can reach the provider' });
  expect((await factsOf(scene.gateway, jobId)).submissions).toEqual([]);
});

test('a job that was cancelled or expired before its turn is not submitted', async () => {
  const cancelled = await scene.openJob([]);
  await scene.gateway.call('POST', `/videos/${cancelled}/cancel`);
  expect(await scene.attempt(cancelled)).toMatchObject({ kind: 'ended', end: { status: 'cancelled' } });
  const expired = await scene.openJob([]);
  await scene.gateway.database.query('update video_jobs set deadline_at = now() where id = $1', [expired]);
  expect(await scene.attempt(expired)).toMatchObject({ kind: 'ended', end: { status: 'expired' } });
  expect([...scene.asked('create', cancelled), ...scene.asked('create', expired)]).toEqual([]);
});
