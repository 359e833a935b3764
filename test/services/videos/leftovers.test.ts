import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createUnconfirmedReadModel } from '../../../db/videos/unconfirmed-read-model.ts';
import type { TerminalEnd } from '../../../domain/videos/job.ts';
import type { FaultInput } from '../../../upstream/faults.ts';
import { cancelUpstream } from '../../../services/videos/cancel-upstream.ts';
import { checkJob } from '../../../services/videos/check-job.ts';
import { settleJob } from '../../../services/videos/settle-job.ts';
import { sweep } from '../../../services/sweep/sweep.ts';
import { eventually } from '../../support/eventually.ts';
import { startSubmitScene, type SubmitScene } from './submit-scene.ts';

/** What a job that is over left at its provider, because that was not known to have stopped. */
let scene: SubmitScene;

beforeAll(async () => {
  scene = await startSubmitScene();
});

beforeEach(async () => {
  await scene.gateway.database.query('truncate video_jobs cascade');
});

afterAll(() => scene.close());

const STALL: FaultInput = { kind: 'stall' };
const FAILS_TO_STOP: FaultInput = { kind: 'status', on: 'delete', status: 500 };
const WILL_NOT_STOP: FaultInput = { kind: 'status', on: 'delete', status: 409 };

const CANCELLED: TerminalEnd = { status: 'cancelled', code: 'cancelled' };
const EXPIRED: TerminalEnd = { status: 'expired', code: 'deadline_exceeded' };
const INTERNAL: TerminalEnd = { status: 'failed', code: 'internal' };

function contextOf(jobId: string) {
  return { signal: new AbortController().signal, requestId: jobId };
}

async function acceptedJob(faults: FaultInput[]): Promise<string> {
  const jobId = await scene.openJob(faults);
  expect((await scene.attempt(jobId)).kind).toBe('accepted');
  return jobId;
}

/** Ends a job as its run does: the provider is asked to stop, and whatever it says the job is settled. */
async function end(jobId: string, how: TerminalEnd = CANCELLED): Promise<void> {
  await cancelUpstream(scene.deps.video, jobId, contextOf(jobId)).catch(() => undefined);
  await settleJob(scene.deps.video, jobId, how);
}

async function leftover(...faults: FaultInput[]): Promise<string> {
  const jobId = await acceptedJob([STALL, ...faults]);
  await end(jobId);
  return jobId;
}

/** How many submissions the sweep found their providers to be done with. */
async function stoppedBySweep(): Promise<number> {
  return (await sweep(scene.deps.sweeping.sweep)).stopped;
}

/** As if the job had ended so long ago, and its provider had been asked five minutes ago. */
async function passTime(since = '5 minutes'): Promise<void> {
  await scene.gateway.database.query(
    `update job_submissions set leftover_since = now() - $1::interval,
            next_cancel_at = next_cancel_at - interval '5 minutes'
     where leftover_since is not null`,
    [since],
  );
}

async function listed(): Promise<string[]> {
  const rows = await createUnconfirmedReadModel(scene.deps.knex).list(100);
  return rows.map(({ jobId, state, reason }) => `${jobId} ${state} ${reason}`);
}

const stops = (jobId: string) => scene.asked('delete', jobId).length;

describe('a job that a provider accepted and that ended here', () => {
  test.each([CANCELLED, EXPIRED, INTERNAL])(
    "appears in the operators' list as $status when its provider failed to stop",
    async (how) => {
      const jobId = await acceptedJob([STALL, FAILS_TO_STOP]);
      await end(jobId, how);
      expect(await listed()).toEqual([`${jobId} accepted the job ended as ${how.status}`]);
    },
  );

  test('stays off the list when its provider confirmed the cancel', async () => {
    await leftover();
    expect(await listed()).toEqual([]);
  });

  test.each<[string, FaultInput[], TerminalEnd]>([
    ['failed', [{ kind: 'fail' }], { status: 'failed', code: 'provider_failed' }],
    ['cancelled', [{ kind: 'cancel' }], CANCELLED],
    ['expired', [{ kind: 'expire' }], EXPIRED],
  ])('causes no entry and no question when its provider reported that it %s', async (_, faults, how) => {
    const jobId = await acceptedJob([...faults, FAILS_TO_STOP]);
    expect(await checkJob(scene.deps.video, jobId, contextOf(jobId))).toEqual({ kind: 'ended', end: how });
    await end(jobId, how);
    expect([await listed(), stops(jobId)]).toEqual([[], 0]);
  });

  test('stays off the list when its provider no longer knows it', async () => {
    const jobId = await acceptedJob([{ kind: 'vanish' }]);
    for (let look = 1; look <= 3; look += 1) await checkJob(scene.deps.video, jobId, contextOf(jobId));
    await end(jobId, { status: 'failed', code: 'provider_vanished' });
    expect(await listed()).toEqual([]);
  });

  test.each<TerminalEnd>([{ status: 'completed' }, { status: 'failed', code: 'output_unavailable' }])(
    'stays off the list when its provider completed it and it ended as $status',
    async (how) => {
      const jobId = await acceptedJob([]);
      await eventually('the files', async () => {
        const { kind } = await checkJob(scene.deps.video, jobId, contextOf(jobId));
        return kind === 'ready' || undefined;
      });
      await settleJob(scene.deps.video, jobId, how);
      expect(await listed()).toEqual([]);
    },
  );
});

describe('the sweep of leftover submissions', () => {
  test('asks every five minutes until the provider stops', async () => {
    const jobId = await leftover({ ...FAILS_TO_STOP, times: 2 });
    expect([await stoppedBySweep(), stops(jobId)]).toEqual([0, 1]);
    await passTime();
    expect([await stoppedBySweep(), stops(jobId)]).toEqual([0, 2]);
    expect([await stoppedBySweep(), stops(jobId)]).toEqual([0, 2]);
    expect(await listed()).toHaveLength(1);
    await passTime();
    expect([await stoppedBySweep(), stops(jobId)]).toEqual([1, 3]);
    expect(await listed()).toEqual([]);
    await passTime();
    expect([await stoppedBySweep(), stops(jobId)]).toEqual([0, 3]);
  });

  test('ends its questions after a day and keeps the entry in the list', async () => {
    const jobId = await leftover({ ...FAILS_TO_STOP, times: 10 });
    await passTime('1 day');
    expect([await stoppedBySweep(), stops(jobId)]).toEqual([0, 2]);
    await passTime('2 days');
    expect([await stoppedBySweep(), stops(jobId)]).toEqual([0, 2]);
    expect(await listed()).toHaveLength(1);
  });

  test('removes a job whose unstoppable provider reports its end', async () => {
    const runsOn = await leftover({ ...WILL_NOT_STOP, times: 2 });
    const failed = await acceptedJob([{ kind: 'fail' }, FAILS_TO_STOP, WILL_NOT_STOP]);
    await end(failed);
    await passTime();
    expect(await stoppedBySweep()).toBe(1);
    expect(await listed()).toEqual([expect.stringContaining(runsOn)]);
  });

  test("stops a submission that was accepted after the job's end", async () => {
    const jobId = await scene.openJob([STALL, FAILS_TO_STOP]);
    const first = scene.attempt(jobId, 'run-1', { videoAdapter: endingMeanwhile(jobId) });
    expect(await first).toEqual({ kind: 'not_claimed' });
    expect(await listed()).toEqual([`${jobId} orphaned the job ended first`]);
    await passTime();
    expect([await stoppedBySweep(), stops(jobId)]).toEqual([1, 2]);
    expect(await listed()).toEqual([]);
  });

  test('asks a hanging provider once for several jobs', async () => {
    const hang: FaultInput = { kind: 'hang', on: 'delete', times: 10 };
    const ids = [await leftover(FAILS_TO_STOP, hang), await leftover(FAILS_TO_STOP, hang)];
    await passTime();
    expect(await stoppedBySweep()).toBe(0);
    expect(ids.map(stops).toSorted((a, b) => a - b)).toEqual([1, 2]);
  });

  test('asks once when two sweeps meet', async () => {
    const jobId = await leftover(FAILS_TO_STOP);
    await passTime();
    const stopped = await Promise.all([stoppedBySweep(), stoppedBySweep()]);
    expect([stopped.toSorted((a, b) => a - b), stops(jobId)]).toEqual([[0, 1], 2]);
  });
});

/** The provider's adapter, during whose submission the job is ended by somebody else. */
function endingMeanwhile(jobId: string) {
  return (slug: string) => {
    const adapter = scene.deps.video.videoAdapter(slug)!;
    const submit: typeof adapter.submit = async (request, context) => {
      await settleJob(scene.deps.video, jobId, EXPIRED);
      return adapter.submit(request, context);
    };
    return { ...adapter, submit };
  };
}
