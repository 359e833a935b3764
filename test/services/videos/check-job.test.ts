import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { VideoAdapter } from '../../../providers/video-adapter.ts';
import { checkJob } from '../../../services/videos/check-job.ts';
import { getJob } from '../../support/jobs.ts';
import { startSubmitScene, type SubmitScene } from './submit-scene.ts';

let scene: SubmitScene;

beforeAll(async () => {
  scene = await startSubmitScene();
});
afterAll(() => scene.close());

/** The job as callers see it, once the provider has reported this. */
async function progressAfter(jobId: string, progressPercent: number | undefined) {
  const videoAdapter = (slug: string): VideoAdapter => ({
    ...scene.deps.video.videoAdapter(slug)!,
    status: async () => ({
      state: 'running',
      vendorStatus: 'busy',
      ...(progressPercent === undefined ? {} : { progressPercent }),
    }),
  });
  const context = { signal: new AbortController().signal, requestId: jobId };
  expect(await checkJob({ ...scene.deps.video, videoAdapter }, jobId, context)).toMatchObject({
    kind: 'retry',
  });
  return (await getJob(scene.gateway, jobId)).progress;
}

test("a job shows its provider's last progress in whole percent from 0 to 100", async () => {
  const jobId = await scene.openJob([{ kind: 'stall' }]);
  expect(await getJob(scene.gateway, jobId)).toMatchObject({ started_at: null, progress: null });
  await scene.attempt(jobId);
  expect(await getJob(scene.gateway, jobId)).toMatchObject({
    started_at: expect.any(String),
    progress: null,
  });
  expect(await progressAfter(jobId, undefined)).toBeNull();
  for (const [reported, shown] of [
    [0, 0],
    [33.4, 33],
    [undefined, 33],
    [1e9, 100],
    [-5, 0],
  ] as const) {
    expect(await progressAfter(jobId, reported)).toBe(shown);
  }
});
