/** Handles `POST /videos/{jobId}/cancel`: requests the end of a video job and returns the job. */
import { operations } from '../../contract/operations.ts';
import { presentVideo } from './present-video.ts';
import { defineRoute } from '../http/route.ts';

export const cancelVideo = defineRoute(operations.cancelVideo, async ({ principal, params }, api) => ({
  status: 200,
  body: presentVideo(await api.services.videos.cancel(principal, params.jobId), api, Date.now()),
}));
