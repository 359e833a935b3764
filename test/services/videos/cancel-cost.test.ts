import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TerminalEnd } from '../../../domain/videos/job.ts';
import { ProviderError } from '../../../domain/provider-error.ts';
import type { FaultInput } from '../../../upstream/faults.ts';
import type { CancelAnswer, VideoAdapter, VideoStatus } from '../../../providers/video-adapter.ts';
import { cancelUpstream } from '../../../services/videos/cancel-upstream.ts';
import { checkJob } from '../../../services/videos/check-job.ts';
import { settleJob } from '../../../services/videos/settle-job.ts';
import { addKey } from '../../support/accounts.ts';
import { createCaller } from '../../support/caller.ts';
import { eventually } from '../../support/eventually.ts';
import { expectBalancedBooks } from '../../support/expect-one-end.ts';
import { getJob, submit } from '../../support/jobs.ts';
import { startSubmitScene, type SubmitScene } from './submit-scene.ts';

let scene: SubmitScene;

beforeAll(async () => {
  scene = await startSubmitScene();
});
afterAll(() => scene.close());

/** What `local/clip-canned` costs. */
const PRICE = '10000000';
const STALL: FaultInput = { kind: 'stall' };
const WILL_NOT_STOP: FaultInput = { kind: 'status', on: 'delete', status: 409, times: 9 };
const FAILS_TO_STOP: FaultInput = { kind: 'status', on: 'delete', status: 500, times: 9 };
const CANCELLED: TerminalEnd = { status: 'cancelled', code: 'cancelled' };

async function acceptedJob(...faults: FaultInput[]): Promise<string> {
  const jobId = await scene.openJob(faults);
  expect((await scene.attempt(jobId)).kind).toBe('accepted');
  return jobId;
}

/** The provider's adapter, changed like this. */
function changed(change: Partial<VideoAdapter> | { cancel: undefined }) {
  return (slug: string) =>
    ({ ...scene.deps.video.videoAdapter(slug)!, ...change }) as ReturnType<typeof depsOf>;
}
const depsOf = (slug: string) => scene.deps.video.videoAdapter(slug);

function contextOf(jobId: string) {
  return { signal: new AbortController().signal, requestId: jobId };
}

/** One attempt of the activity. A failed one is made again, or given up. */
async function cancel(jobId: string, videoAdapter: (slug: string) => VideoAdapter | undefined = depsOf) {
  await cancelUpstream({ ...scene.deps.video, videoAdapter }, jobId, contextOf(jobId)).catch(() => {});
}

/** Settles the job; what it then costs, wherever that is read. */
async function costOf(jobId: string, end: TerminalEnd = CANCELLED) {
  await settleJob(scene.deps.video, jobId, end);
  const { rows } = await scene.gateway.database.query(
    `select g.cost_nanos cost, g.upstream_cost_nanos upstream, j.cost_nanos job
     from video_jobs j join generations g on g.id = j.generation_id where j.id = $1 and g.status = $2`,
    [jobId, end.status],
  );
  expect(rows).toHaveLength(1);
  const { usage } = await getJob(scene.gateway, jobId);
  return { ...rows[0], shown: usage?.cost };
}

const NOTHING = { cost: '0', upstream: null, job: null };
const WHOLE_PRICE = { cost: PRICE, upstream: null, job: PRICE, shown: 0.01 };

describe('the cost of a cancelled job', () => {
  test('equals zero when the job was never submitted', async () => {
    const jobId = await scene.openJob([]);
    await cancel(jobId);
    expect(await costOf(jobId)).toEqual(NOTHING);
  });

  test('equals zero when the provider stopped and reports no cost', async () => {
    const jobId = await acceptedJob(STALL);
    await cancel(jobId);
    expect(await costOf(jobId)).toEqual(NOTHING);
  });

  test.each([
    [4_000_000n, '4000000', 0.004],
    [0n, '0', 0],
    // Never more than what is reserved.
    [12_000_000n, PRICE, 0.01],
  ])(
    "follows the provider's report of %d nanodollars, up to the price",
    async (upstreamCostNanos, cost, shown) => {
      const jobId = await acceptedJob(STALL);
      await cancel(jobId, changed({ cancel: async () => ({ kind: 'stopped', upstreamCostNanos }) }));
      expect(await costOf(jobId)).toEqual({ cost, upstream: String(upstreamCostNanos), job: cost, shown });
    },
  );

  test('equals the price when the provider refuses to stop', async () => {
    const jobId = await acceptedJob(STALL, WILL_NOT_STOP);
    await cancel(jobId);
    expect(await costOf(jobId)).toEqual(WHOLE_PRICE);
  });

  test('equals the price when the provider has no way to stop', async () => {
    const jobId = await acceptedJob(STALL);
    await cancel(jobId, changed({ cancel: undefined }));
    expect(await costOf(jobId)).toEqual(WHOLE_PRICE);
  });

  test('equals the price when the provider had made the video', async () => {
    const jobId = await acceptedJob();
    await eventually('the video', async () => {
      await cancel(jobId, changed({ cancel: async () => ({ kind: 'not_stopped' }) }));
      return (await checkJob(scene.deps.video, jobId, contextOf(jobId))).kind === 'ready' || undefined;
    });
    await cancel(jobId, changed({ cancel: async () => ({ kind: 'stopped' }) }));
    expect(await costOf(jobId)).toEqual(WHOLE_PRICE);
  });

  test('equals zero when the provider refuses to stop a failed job', async () => {
    const jobId = await acceptedJob({ kind: 'fail' }, WILL_NOT_STOP);
    await cancel(jobId);
    expect(await costOf(jobId)).toEqual(NOTHING);
  });

  test('equals the price when the provider refuses to stop and gives no status', async () => {
    const jobId = await acceptedJob(STALL);
    const status = () => Promise.reject(lost());
    await cancel(jobId, changed({ cancel: async () => ({ kind: 'not_stopped' }), status }));
    expect(await costOf(jobId)).toEqual(WHOLE_PRICE);
  });

  test('equals zero when the provider could not be asked', async () => {
    const [failing, unreachable] = [await acceptedJob(STALL, FAILS_TO_STOP), await acceptedJob(STALL)];
    await cancel(failing);
    await cancel(unreachable, () => undefined);
    expect([await costOf(failing), await costOf(unreachable)]).toEqual([NOTHING, NOTHING]);
  });

  test.each<[bigint | undefined, object]>([
    [undefined, NOTHING],
    [3n, { cost: '3', upstream: '3', job: '3', shown: 3e-9 }],
  ])('follows the report of a provider that ended the job by itself: %s', async (upstreamCostNanos, cost) => {
    const jobId = await acceptedJob(STALL);
    const ended: VideoStatus = {
      state: 'cancelled',
      vendorStatus: 'canceled',
      ...(upstreamCostNanos === undefined ? {} : { upstreamCostNanos }),
    };
    const videoAdapter = changed({ status: async () => ended });
    const step = await checkJob({ ...scene.deps.video, videoAdapter }, jobId, contextOf(jobId));
    expect(step).toEqual({ kind: 'ended', end: CANCELLED });
    await cancel(jobId);
    expect(await costOf(jobId)).toEqual(cost);
    expect(scene.asked('delete', jobId)).toEqual([]);
  });
});

describe('a retried cancel activity', () => {
  const answers = (...given: CancelAnswer[]) => changed({ cancel: async () => given.shift()! });

  test("uses the provider's first report and asks no second time", async () => {
    const jobId = await acceptedJob(STALL);
    await cancel(jobId, answers({ kind: 'stopped', upstreamCostNanos: 5n }));
    await cancel(jobId);
    expect(scene.asked('delete', jobId)).toEqual([]);
    expect(await costOf(jobId)).toMatchObject({ cost: '5' });
  });

  test('charges nothing when the provider no longer knows the job after a lost response', async () => {
    const jobId = await acceptedJob(STALL);
    await cancel(
      jobId,
      changed({
        async cancel(operation, context) {
          await depsOf('local')!.cancel!(operation, context);
          throw lost();
        },
      }),
    );
    await cancel(jobId);
    expect(await costOf(jobId)).toEqual(NOTHING);
  });

  test('charges the reported cost when the provider already cancelled after a lost response', async () => {
    const jobId = await acceptedJob(STALL);
    const status = async (): Promise<VideoStatus> => ({
      state: 'cancelled',
      vendorStatus: 'canceled',
      upstreamCostNanos: 7n,
    });
    await cancel(jobId, changed({ cancel: () => Promise.reject(lost()) }));
    await cancel(jobId, changed({ cancel: async () => ({ kind: 'not_stopped' }), status }));
    expect(await costOf(jobId)).toMatchObject({ cost: '7' });
  });

  test("follows the provider's last answer", async () => {
    const [stopped, unstopped] = [await acceptedJob(STALL), await acceptedJob(STALL)];
    await cancel(stopped, answers({ kind: 'not_stopped' }));
    await cancel(stopped, answers({ kind: 'stopped' }));
    await cancel(unstopped, answers({ kind: 'not_stopped' }));
    await cancel(unstopped, answers({ kind: 'not_stopped' }));
    expect([await costOf(stopped), await costOf(unstopped)]).toEqual([NOTHING, WHOLE_PRICE]);
  });

  test('changes nothing when the job is settled', async () => {
    const jobId = await acceptedJob(STALL);
    const before = await costOf(jobId);
    await cancel(jobId, answers({ kind: 'not_stopped' }));
    expect(await costOf(jobId)).toEqual(before);
  });
});

test('a job that expires costs nothing although its provider refused to stop', async () => {
  const jobId = await acceptedJob(STALL, WILL_NOT_STOP);
  await cancel(jobId);
  expect(await costOf(jobId, { status: 'expired', code: 'deadline_exceeded' })).toEqual(NOTHING);
});

test("the cost of a cancelled job counts against its key's limit", async () => {
  const key = await addKey(scene.gateway, { limitNanos: 15_000_000n });
  const caller = createCaller(scene.gateway.origin, key.token);
  const faults = [STALL, WILL_NOT_STOP];
  const { id } = await submit(caller, { provider: { options: { local: { faults } } } });
  await scene.attempt(id);
  await cancel(id);
  await settleJob(scene.deps.video, id, CANCELLED);
  const body = { model: 'local/clip-canned', prompt: 'A lighthouse' };
  expect((await caller.call('POST', '/videos', { body })).status).toBe(402);
});

test('the counters agree with the ledger and nothing stays reserved after all cancels', async () => {
  await expectBalancedBooks(scene.gateway);
});

function lost(): ProviderError {
  return new ProviderError({ code: 'connection_lost', sent: true, retryable: true, publicMessage: 'Lost' });
}
