import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createUnconfirmedReadModel } from '../../../db/videos/unconfirmed-read-model.ts';
import type { FaultInput } from '../../../upstream/faults.ts';
import type { SubmitDeps } from '../../../services/videos/send-submission.ts';
import { eventually } from '../../support/eventually.ts';
import { factsOf } from '../../support/job-facts.ts';
import { startSubmitScene, type SubmitScene } from './submit-scene.ts';

let scene: SubmitScene;

beforeAll(async () => {
  scene = await startSubmitScene();
});

afterAll(() => scene.close());

/** As if its submission had been sent so long ago that the call must be over. */
function age(jobId: string): Promise<unknown> {
  return scene.gateway.database.query(
    `update job_submissions set sent_at = now() - interval '2 minutes' where job_id = $1`,
    [jobId],
  );
}

async function listedForOperators(jobId: string) {
  const listed = await createUnconfirmedReadModel(scene.deps.knex).list(100);
  return listed.filter((submission) => submission.jobId === jobId);
}

/** Leaves a slow machine the time to do something before the answer. */
const LATE: FaultInput = { kind: 'delay', on: 'create', delayMs: 3_000, times: 2 };
/** A job that can still be stopped when the answer is there. */
const STALL: FaultInput = { kind: 'stall' };

describe('two attempts of one submission at the same time', () => {
  test('find the same job at an idempotent provider', async () => {
    const jobId = await scene.openJob([LATE]);
    const first = scene.attempt(jobId);
    await eventually('the first call', async () => scene.asked('create', jobId)[0]);
    const steps = await Promise.all([first, scene.attempt(jobId)]);
    expect(steps.map(({ kind }) => kind)).toEqual(['accepted', 'accepted']);
    expect((await factsOf(scene.gateway, jobId)).submissions).toEqual(['accepted']);
    expect(new Set(scene.asked('create', jobId).map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(scene.asked('delete', jobId)).toEqual([]);
  });

  test('leave the second waiting at a provider that is not idempotent', async () => {
    const jobId = await scene.openJob([LATE], 'test/plain', 'plain');
    const first = scene.attempt(jobId);
    await eventually('the first call', async () => scene.asked('create', jobId)[0]);
    expect(await scene.attempt(jobId)).toMatchObject({
      kind: 'retry',
      reason: 'the submission may be under way',
    });
    expect((await first).kind).toBe('accepted');
    expect((await scene.attempt(jobId)).kind).toBe('accepted');
    expect(scene.asked('create', jobId)).toHaveLength(1);
    expect(scene.asked('delete', jobId)).toEqual([]);
  });

  test("fail as unconfirmed after the call's time, and a late job is cancelled", async () => {
    const jobId = await scene.openJob([LATE, STALL], 'test/plain', 'plain');
    const first = scene.attempt(jobId);
    await eventually('the first call', async () => scene.asked('create', jobId)[0]);
    await age(jobId);
    expect(await scene.attempt(jobId)).toEqual({
      kind: 'ended',
      end: { status: 'failed', code: 'unconfirmed' },
    });
    expect(await first).toEqual({ kind: 'not_claimed' });
    expect((await factsOf(scene.gateway, jobId)).submissions).toEqual(['orphaned']);
    expect(scene.asked('create', jobId)).toHaveLength(1);
    expect(scene.asked('delete', jobId)).toHaveLength(1);
    expect(await listedForOperators(jobId)).toEqual([]);
  });

  test.each([500, 409])('list the late job for operators when its cancel gets status %i', async (status) => {
    const stays: FaultInput = { kind: 'status', on: 'delete', status };
    const jobId = await scene.openJob([LATE, STALL, stays], 'test/plain', 'plain');
    const first = scene.attempt(jobId);
    await eventually('the first call', async () => scene.asked('create', jobId)[0]);
    await age(jobId);
    await scene.attempt(jobId);
    await first;
    expect(await listedForOperators(jobId)).toMatchObject([
      { provider: 'plain', state: 'orphaned', operationId: expect.stringMatching(/^video_/) },
    ]);
  });

  test("cancel at the provider what it accepts after the job's end", async () => {
    const jobId = await scene.openJob([LATE, STALL]);
    const first = scene.attempt(jobId);
    await eventually('the first call', async () => scene.asked('create', jobId)[0]);
    await scene.gateway.database.query(
      `update video_jobs set status = 'expired', ended_at = now(), failure_code = 'deadline_exceeded'
       where id = $1`,
      [jobId],
    );
    expect(await first).toEqual({ kind: 'not_claimed' });
    expect(await factsOf(scene.gateway, jobId)).toMatchObject({
      status: 'expired',
      submissions: ['orphaned'],
    });
    expect(scene.asked('delete', jobId)).toHaveLength(1);
    expect(await listedForOperators(jobId)).toEqual([]);
  });
});

describe('a job whose deadline passes before its submission is answered', () => {
  const expired = { kind: 'ended', end: { status: 'expired', code: 'deadline_exceeded' } };

  async function overdueJob(): Promise<string> {
    const jobId = await scene.openJob([{ kind: 'drop-after', on: 'create' }]);
    expect((await scene.attempt(jobId)).kind).toBe('retry');
    await scene.gateway.database.query('update video_jobs set deadline_at = now() where id = $1', [jobId]);
    return jobId;
  }

  test('expires even if the call is in flight', async () => {
    const jobId = await scene.openJob([LATE], 'test/plain', 'plain');
    const first = scene.attempt(jobId);
    await eventually('the first call', async () => scene.asked('create', jobId)[0]);
    await scene.gateway.database.query('update video_jobs set deadline_at = now() where id = $1', [jobId]);
    expect(await scene.attempt(jobId)).toEqual(expired);
    await first;
  });

  test('expires when no worker can reach the provider', async () => {
    expect(await scene.attempt(await overdueJob(), 'run-1', { videoAdapter: () => undefined })).toEqual(
      expired,
    );
  });

  test('continues when the provider can be asked and has it', async () => {
    expect((await scene.attempt(await overdueJob())).kind).toBe('accepted');
  });
});

describe('a provider with a lookup for submissions and without idempotency', () => {
  const askable: Partial<SubmitDeps> = {
    videoAdapter(slug) {
      const adapter = scene.deps.video.videoAdapter(slug);
      return adapter && { ...adapter, idempotentSubmit: false };
    },
  };

  test('reports a lost submission once the call must be over', async () => {
    const jobId = await scene.openJob([{ kind: 'drop-after', on: 'create' }]);
    expect((await scene.attempt(jobId, 'run-1', askable)).kind).toBe('retry');
    expect(await scene.attempt(jobId, 'run-1', askable)).toMatchObject({
      reason: 'the submission may be under way',
    });
    await age(jobId);
    expect((await scene.attempt(jobId, 'run-1', askable)).kind).toBe('accepted');
    expect((await factsOf(scene.gateway, jobId)).submissions).toEqual(['accepted']);
    expect(scene.asked('create', jobId)).toHaveLength(1);
  });

  test('receives nothing else while the first call may last', async () => {
    const jobId = await scene.openJob([LATE]);
    const first = scene.attempt(jobId, 'run-1', askable);
    await eventually('the first call', async () => scene.asked('create', jobId)[0]);
    expect(await scene.attempt(jobId, 'run-1', askable)).toMatchObject({
      kind: 'retry',
      reason: 'the submission may be under way',
    });
    expect((await first).kind).toBe('accepted');
    expect((await factsOf(scene.gateway, jobId)).submissions).toEqual(['accepted']);
    expect(scene.asked('create', jobId)).toHaveLength(1);
  });

  test('receives a cancel for a job that it accepts after it denied knowing it', async () => {
    const jobId = await scene.openJob([LATE, STALL]);
    const first = scene.attempt(jobId, 'run-1', askable);
    await eventually('the first call', async () => scene.asked('create', jobId)[0]);
    await age(jobId);
    expect(await scene.attempt(jobId, 'run-1', askable)).toEqual({
      kind: 'retry',
      delayMs: 1_000,
      reason: 'the provider has no such job',
      waiting: 'no_answer',
    });
    expect(await first).toEqual({ kind: 'not_claimed' });
    expect((await factsOf(scene.gateway, jobId)).submissions).toEqual(['orphaned']);
    expect(scene.asked('delete', jobId)).toHaveLength(1);
  });
});

test('a submission that was given up is not repeated by a second attempt', async () => {
  const jobId = await scene.openJob([{ kind: 'drop-after', on: 'create' }], 'test/plain', 'plain');
  const unconfirmed = { kind: 'ended', end: { status: 'failed', code: 'unconfirmed' } };
  expect(await scene.attempt(jobId)).toEqual(unconfirmed);
  expect(await scene.attempt(jobId, 'run-2')).toEqual(unconfirmed);
  expect((await factsOf(scene.gateway, jobId)).submissions).toEqual(['unconfirmed']);
  expect(scene.asked('create', jobId)).toHaveLength(1);
});
