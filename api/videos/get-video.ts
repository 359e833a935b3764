/** Handles `GET /videos/{jobId}`: returns a video job, on request only after its status changes. */
import { operations } from '../../contract/operations.ts';
import { pollAfterSeconds, presentVideo } from './present-video.ts';
import { defineRoute } from '../http/route.ts';

export const getVideo = defineRoute(operations.getVideo, async (call, api) => {
  const { principal, params, query } = call;
  const { videos } = api.services;
  const job =
    query.wait === 0
      ? await videos.get(principal, params.jobId)
      : await videos.waitForChange(principal, params.jobId, {
          waitMs: query.wait * 1_000,
          gone: call.gone(),
        });
  const nowMs = Date.now();
  const seconds = pollAfterSeconds(job, api.settings.pollBounds, nowMs);
  return {
    status: 200,
    ...(seconds === undefined ? {} : { headers: { 'retry-after': String(seconds) } }),
    body: presentVideo(job, api, nowMs),
  };
});
