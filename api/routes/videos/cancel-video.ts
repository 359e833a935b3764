import { operations } from '../../../contract/operations.ts';
import { presentVideo } from '../../presenters/video.ts';
import { defineRoute } from '../../route.ts';

export const cancelVideo = defineRoute(operations.cancelVideo, async ({ principal, params }, api) => ({
  status: 200,
  body: presentVideo(await api.services.videos.cancel(principal, params.jobId), api, Date.now()),
}));
