import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TerminalEnd } from '../../../domain/videos/job.ts';
import type { VideoAdapter, VideoStatus } from '../../../providers/video-adapter.ts';
import { cancelUpstream } from '../../../services/videos/cancel-upstream.ts';
import { settleJob } from '../../../services/videos/settle-job.ts';
import type { FaultInput } from '../../../upstream/faults.ts';
import { runVerifyLedger } from '../../../admin/verify-ledger.ts';
import { addKey } from '../../support/accounts.ts';
import { createCaller } from '../../support/caller.ts';
import { addVideoModel } from '../../support/catalog.ts';
import { expectBalancedBooks } from '../../support/expect-one-end.ts';
import { getJob } from '../../support/jobs.ts';
import { createDatabase } from '../../support/open-database.ts';
import { acceptedClip, billOf, CLIP, endAtProvider, finishedClip } from '../../support/metered-jobs.ts';
import { expectReproduced } from '../../support/reproduced.ts';
import { startSubmitScene, type SubmitScene } from './submit-scene.ts';

let scene: SubmitScene;

beforeAll(async () => {
  scene = await startSubmitScene({
    prepare: async (gateway) => {
      const clip = { provider: 'local', capabilities: { resolutions: ['360p'], aspectRatios: ['16:9'] } };
      await addVideoModel(gateway, 'test/two', [
        { ...clip, upstreamModelId: 'clip-1', pricingSkus: { duration_seconds: '0.5' } },
        {
          ...clip,
          upstreamModelId: 'clip-units',
          pricingSkus: { billable_units: '0.25' },
          meters: { billable_units: { usual: { per_video: '1' }, most: { per_video: '9' } } },
        },
      ]);
    },
  });
});
afterAll(() => scene.close());

const [TOKENS, UNITS, CREDITS] = ['local/clip-tokens', 'local/clip-units', 'local/clip-credits'];
const CANCELLED: TerminalEnd = { status: 'cancelled', code: 'cancelled' };
const STALL: FaultInput = { kind: 'stall' };
const WILL_NOT_STOP: FaultInput = { kind: 'status', on: 'delete', status: 409, times: 9 };

const charge = (amount: number | string | null): FaultInput => ({ kind: 'charge', amount });

function statusOf(status: VideoStatus): (slug: string) => VideoAdapter {
  return (slug) => ({ ...scene.deps.video.videoAdapter(slug)!, status: async () => status });
}

async function cancel(jobId: string): Promise<void> {
  const context = { signal: new AbortController().signal, requestId: jobId };
  await cancelUpstream(scene.deps.video, jobId, context);
}

async function cancelledClip(model: string, faults: FaultInput[]): Promise<string> {
  const jobId = await acceptedClip(scene, model, faults);
  await cancel(jobId);
  await settleJob(scene.deps.video, jobId, CANCELLED);
  return jobId;
}

describe('a completed job', () => {
  test.each([
    // 640 x 360 pixels of 24 frames, by 1,024.
    ['tokens in the final state', TOKENS, { video_tokens: '5400' }, '10800000', '11000000', 0.0108],
    ['units in a header', UNITS, { billable_units: '1' }, '10000000', '20000000', 0.01],
    ['credits of the ended job', CREDITS, { billable_units: '5' }, '50000000', '70000000', 0.05],
  ])('costs the reported %s', async (_, model, report, cost, reserved, shown) => {
    const jobId = await acceptedClip(scene, model);
    expect(await billOf(scene.gateway, jobId)).toMatchObject({ reserved, cost: null, billed: null });
    await settleJob(scene.deps.video, jobId, await endAtProvider(scene, jobId));
    const bill = { status: 'completed', reserved, cost, billed: cost, report, flag: null };
    expect(await billOf(scene.gateway, jobId)).toEqual(bill);
    const units = Object.fromEntries(Object.entries(report).map(([name, amount]) => [name, Number(amount)]));
    expect((await getJob(scene.gateway, jobId)).usage).toEqual({ cost: shown, is_byok: false, units });
  });

  test('costs fractions of a unit, rounded once', async () => {
    const jobId = await finishedClip(scene, UNITS, [charge('1.2345678')]);
    expect(await billOf(scene.gateway, jobId)).toMatchObject({
      report: { billable_units: '1.234568' },
      billed: '12345680',
      flag: null,
    });
  });

  test('costs more than was reserved if the provider reports more, flagged', async () => {
    const jobId = await finishedClip(scene, UNITS, [charge(3.5)]);
    expect(await billOf(scene.gateway, jobId)).toMatchObject({
      reserved: '20000000',
      billed: '35000000',
      flag: 'above_estimate',
    });
  });

  test.each([
    [0, '0'],
    [0.25, '2500000'],
  ])('costs %d units if the provider reports so few, flagged', async (units, billed) => {
    const jobId = await finishedClip(scene, UNITS, [charge(units)]);
    expect(await billOf(scene.gateway, jobId)).toMatchObject({ billed, flag: 'below_estimate' });
  });

  test.each([null, '', '-3', 'many', '1e9', 'NaN', '9'.repeat(20)])(
    'costs the documented number of units, flagged, when the provider reports %p',
    async (amount) => {
      const jobId = await finishedClip(scene, UNITS, [charge(amount)]);
      expect(await billOf(scene.gateway, jobId)).toMatchObject({
        billed: '10000000',
        report: null,
        flag: 'not_reported',
      });
      expect((await getJob(scene.gateway, jobId)).usage).toEqual({
        cost: 0.01,
        is_byok: false,
        is_estimated: true,
      });
    },
  );

  test('keeps the price of its acceptance', async () => {
    const jobId = await acceptedClip(scene, UNITS);
    const price = (usd: string) =>
      scene.gateway.database.query(
        `update endpoints set pricing = jsonb_build_object('billable_units', $1::text) where model_id = $2`,
        [usd, UNITS],
      );
    await price('7');
    await settleJob(scene.deps.video, jobId, await endAtProvider(scene, jobId));
    await price('0.01');
    expect(await billOf(scene.gateway, jobId)).toMatchObject({ billed: '10000000' });
  });

  test('has the price of a video input when it continues another one', async () => {
    const first = await finishedClip(scene, TOKENS);
    const next = await finishedClip(scene, TOKENS, [], { model: TOKENS, previous_job_id: first });
    expect(await billOf(scene.gateway, next)).toMatchObject({ billed: '5400000', flag: null });
  });
});

describe('a job with endpoints of different prices', () => {
  test('reserves the most of both, and costs the price of the endpoint that accepts it', async () => {
    scene.gateway.upstream.addFaults({ kind: 'status', on: 'create', status: 400 });
    const refused = await acceptedClip(scene, 'test/two');
    const served = await acceptedClip(scene, 'test/two');
    for (const jobId of [refused, served]) {
      await settleJob(scene.deps.video, jobId, await endAtProvider(scene, jobId));
    }
    const reserved = '2250000000';
    expect(await billOf(scene.gateway, refused)).toMatchObject({ reserved, billed: '250000000', flag: null });
    expect(await billOf(scene.gateway, served)).toMatchObject({ reserved, billed: '500000000', flag: null });
  });
});

describe('a job without a video', () => {
  test('costs nothing when it fails, although the provider bills it, and is flagged', async () => {
    const jobId = await finishedClip(scene, CREDITS, [{ kind: 'fail' }]);
    expect(await billOf(scene.gateway, jobId)).toMatchObject({
      status: 'failed',
      cost: null,
      billed: '0',
      report: { billable_units: '2' },
      flag: 'billed_without_video',
    });
    expect((await getJob(scene.gateway, jobId)).usage).toBeUndefined();
  });

  test('costs nothing when it fails and the credits are refunded', async () => {
    const jobId = await finishedClip(scene, CREDITS, [{ kind: 'fail' }, charge(0)]);
    expect(await billOf(scene.gateway, jobId)).toMatchObject({ billed: '0', flag: null });
  });

  test('costs nothing when its video cannot be stored, and is flagged', async () => {
    const jobId = await acceptedClip(scene, UNITS);
    await endAtProvider(scene, jobId);
    await settleJob(scene.deps.video, jobId, { status: 'failed', code: 'output_unavailable' });
    expect(await billOf(scene.gateway, jobId)).toMatchObject({ billed: '0', flag: 'billed_without_video' });
  });

  test.each<[string, string, FaultInput[], string, object | null]>([
    ['what the provider reports', CREDITS, [STALL], '20000000', { billable_units: '2' }],
    ['nothing when the provider reports nothing', UNITS, [STALL], '0', null],
    ['the estimate when the provider does not stop', UNITS, [STALL, WILL_NOT_STOP], '10000000', null],
  ])('costs after a cancel %s', async (_, model, faults, billed, report) => {
    const jobId = await cancelledClip(model, faults);
    expect(await billOf(scene.gateway, jobId)).toMatchObject({ status: 'cancelled', billed, report });
  });

  test('costs after a cancel what was reported for the video that the provider had made', async () => {
    const jobId = await acceptedClip(scene, UNITS, [charge(2)]);
    await endAtProvider(scene, jobId);
    await cancel(jobId);
    await settleJob(scene.deps.video, jobId, CANCELLED);
    expect(await billOf(scene.gateway, jobId)).toMatchObject({ billed: '20000000' });
  });

  test('costs nothing after a cancel when the provider had failed and billed it', async () => {
    const jobId = await acceptedClip(scene, CREDITS, [{ kind: 'fail' }]);
    await endAtProvider(scene, jobId);
    await cancel(jobId);
    await settleJob(scene.deps.video, jobId, CANCELLED);
    expect(await billOf(scene.gateway, jobId)).toMatchObject({ billed: '0', flag: null });
  });
});

describe('a repeated step', () => {
  const again = (units: string): VideoStatus => ({
    state: 'completed',
    outputs: [],
    report: { billable_units: units },
  });

  test.each([['2'], [undefined]])('keeps the first report when the next one is %s', async (units) => {
    const jobId = await acceptedClip(scene, UNITS, [charge(1.5)]);
    await endAtProvider(scene, jobId);
    const next = units === undefined ? { state: 'completed' as const, outputs: [] } : again(units);
    await endAtProvider(scene, jobId, statusOf(next));
    await settleJob(scene.deps.video, jobId, { status: 'completed' });
    const report = { billable_units: '1.5' };
    expect(await billOf(scene.gateway, jobId)).toMatchObject({ billed: '15000000', report, flag: null });
  });

  test('records a report that the first answer lacked', async () => {
    const jobId = await acceptedClip(scene, UNITS, [charge(null)]);
    await endAtProvider(scene, jobId);
    await endAtProvider(scene, jobId, statusOf(again('2')));
    await settleJob(scene.deps.video, jobId, { status: 'completed' });
    expect(await billOf(scene.gateway, jobId)).toMatchObject({ billed: '20000000', flag: null });
  });

  test('changes nothing after the settlement', async () => {
    const jobId = await finishedClip(scene, UNITS);
    const before = await billOf(scene.gateway, jobId);
    await settleJob(scene.deps.video, jobId, { status: 'completed' });
    await cancel(jobId);
    expect(await billOf(scene.gateway, jobId)).toEqual(before);
  });
});

test('the reservation counts against the limit of the key, and the bill afterwards', async () => {
  const key = await addKey(scene.gateway, { limitNanos: 45_000_000n });
  const caller = createCaller(scene.gateway.origin, key.token);
  const body = { ...CLIP, model: UNITS };
  const post = async () => caller.call('POST', '/videos', { body });
  const ids: string[] = [];
  for (let n = 0; n < 2; n += 1) ids.push(((await (await post()).json()) as { id: string }).id);
  expect((await post()).status).toBe(402);
  for (const id of ids) {
    await scene.attempt(id);
    await settleJob(scene.deps.video, id, await endAtProvider(scene, id));
  }
  const third = await post();
  expect(third.status).toBe(202);
  const { id } = (await third.json()) as { id: string };
  await settleJob(scene.deps.video, id, { status: 'expired', code: 'deadline_exceeded' });
});

describe('verify-ledger', () => {
  test('stands beside `ledger reprice`, which reproduces the bills of completed and cancelled jobs', () =>
    expectReproduced(scene.gateway));

  test('agrees with the bills of all these jobs', async () => {
    await expectBalancedBooks(scene.gateway);
  });

  const verify = async (): Promise<string> => {
    const { knex, close } = createDatabase({ url: scene.gateway.config.database.url, poolMax: 1 });
    const { text } = await runVerifyLedger(knex).finally(close);
    return text;
  };

  const GENERATION = `from video_jobs j where j.generation_id = g.id and j.id = $1`;

  test.each([
    [
      'a report',
      `update job_submissions set report = '{"billable_units": "1.5"}' where job_id = $1`,
      `update job_submissions set report = '{"billable_units": "1"}' where job_id = $1`,
    ],
    [
      'a price',
      `update video_jobs set terms = replace(terms::text, '"0.01"', '"0.02"')::jsonb where id = $1`,
      `update video_jobs set terms = replace(terms::text, '"0.02"', '"0.01"')::jsonb where id = $1`,
    ],
    [
      'a bill',
      `update generations g set cost_nanos = 7 ${GENERATION}`,
      `update generations g set cost_nanos = 10000000 ${GENERATION}`,
    ],
  ])('finds %s that was changed after the settlement', async (_, harm, undo) => {
    const jobId = await finishedClip(scene, UNITS);
    expect(await verify()).toMatch(/The ledger agrees\.$/);
    await scene.gateway.database.query(harm, [jobId]);
    expect(await verify()).toMatch(new RegExp(`^jobs: 1 differs?[^]*${jobId}`, 'm'));
    await scene.gateway.database.query(undo, [jobId]);
  });
});
