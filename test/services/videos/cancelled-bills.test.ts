import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { VideoAdapter } from '../../../providers/video-adapter.ts';
import { cancelUpstream } from '../../../services/videos/cancel-upstream.ts';
import { settleJob } from '../../../services/videos/settle-job.ts';
import type { FaultInput } from '../../../upstream/faults.ts';
import { expectBalancedBooks } from '../../support/expect-one-end.ts';
import { expectReproduced } from '../../support/reproduced.ts';
import { startSubmitScene, type SubmitScene } from './submit-scene.ts';

let scene: SubmitScene;

beforeAll(async () => {
  scene = await startSubmitScene();
});
afterAll(() => scene.close());

const STALL: FaultInput = { kind: 'stall' };
const WILL_NOT_STOP: FaultInput = { kind: 'status', on: 'delete', status: 409, times: 9 };

/** Cancels a job at its provider, whose adapter is changed like this. */
async function cancelledJob(
  faults: FaultInput[],
  change: Partial<VideoAdapter> = {},
  model?: string,
): Promise<string> {
  const jobId = await scene.openJob(faults, model);
  expect((await scene.attempt(jobId)).kind).toBe('accepted');
  const videoAdapter = (slug: string) => ({ ...scene.deps.video.videoAdapter(slug)!, ...change });
  const context = { signal: new AbortController().signal, requestId: jobId };
  await cancelUpstream({ ...scene.deps.video, videoAdapter }, jobId, context);
  return jobId;
}

interface CancelledBill {
  prices: number;
  flags?: string[];
  video: object;
}

async function billOf(jobId: string): Promise<CancelledBill> {
  await settleJob(scene.deps.video, jobId, { status: 'cancelled', code: 'cancelled' });
  const { rows } = await scene.gateway.database.query<{ bill: CancelledBill }>(
    `select d.bill from video_jobs j join generation_details d on d.id = j.generation_id where j.id = $1`,
    [jobId],
  );
  return rows[0]!.bill;
}

const VIDEO = { durationSeconds: 1, generateAudio: false };

describe('the bill of a cancelled job', () => {
  test('states that nothing was charged for a job that was never submitted', async () => {
    const bill = { prices: expect.any(Number), video: { ...VIDEO, charged: '0' } };
    expect(await billOf(await scene.openJob([]))).toEqual(bill);
  });

  test('states what the provider charged', async () => {
    const jobId = await cancelledJob([STALL], {
      cancel: async () => ({ kind: 'stopped', upstreamCostNanos: 4_000_000n }),
    });
    expect((await billOf(jobId)).video).toEqual({ ...VIDEO, charged: '4000000' });
  });

  test.each<[string, string, FaultInput[], object, string[] | undefined]>([
    [
      'the units that the provider reported',
      'local/clip-credits',
      [STALL],
      { units: { billable_units: '2' } },
      undefined,
    ],
    ['no charge if the provider reported nothing', 'local/clip-units', [STALL], { charged: '0' }, undefined],
    [
      'the documented units if the provider does not stop',
      'local/clip-units',
      [STALL, WILL_NOT_STOP],
      // Four seconds, which is the model's default.
      { units: { billable_units: '4' } },
      ['estimated'],
    ],
  ])('states %s', async (_, model, faults, facts, flags) => {
    const bill = await billOf(await cancelledJob(faults, {}, model));
    expect([bill.flags, bill.video]).toEqual([flags, expect.objectContaining(facts)]);
  });

  test('equals that of a completed job when the provider does not stop', async () => {
    expect((await billOf(await cancelledJob([STALL, WILL_NOT_STOP]))).video).toEqual(VIDEO);
  });
});

test('verify-ledger and `ledger reprice` find a bill that states another cost', async () => {
  const jobId = await scene.openJob([]);
  await billOf(jobId);
  await expectReproduced(scene.gateway);
  await expectBalancedBooks(scene.gateway);
  const query = `update generation_details d
    set bill = replace(bill::text, '"charged":"0"', '"charged":"5"')::json
    from video_jobs j where d.id = j.generation_id and j.id = $1`;
  await scene.gateway.database.query(query, [jobId]);
  await expect(expectBalancedBooks(scene.gateway)).rejects.toThrow(
    new RegExp(`^cancelled jobs: 1 differs[^]*${jobId} +charged 5 +billed 0`, 'm'),
  );
  await expect(expectReproduced(scene.gateway)).rejects.toThrow();
});
