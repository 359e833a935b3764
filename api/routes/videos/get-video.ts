import { operations } from '../../../contract/operations.ts';
import { presentVideo } from '../../presenters/video.ts';
import { defineRoute } from '../../route.ts';

export const getVideo = defineRoute(operations.getVideo, async ({ principal, params }, api) => ({
  status: 200,
  body: presentVideo(await api.services.videos.get(principal, params.jobId), api, Date.now()),
}));
