import { operations } from '../../../contract/operations.ts';
import { pollAfterSeconds, presentVideo } from '../../presenters/video.ts';
import { defineRoute } from '../../route.ts';

export const getVideo = defineRoute(operations.getVideo, async ({ principal, params }, api) => {
  const job = await api.services.videos.get(principal, params.jobId);
  const nowMs = Date.now();
  const seconds = pollAfterSeconds(job, api.settings.pollBounds, nowMs);
  return {
    status: 200,
    ...(seconds === undefined ? {} : { headers: { 'retry-after': String(seconds) } }),
    body: presentVideo(job, api, nowMs),
  };
});
