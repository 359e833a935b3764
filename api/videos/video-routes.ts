import { receiveJobCallback } from './callbacks/receive-job-callback.ts';
import { receiveProviderCallback } from './callbacks/receive-provider-callback.ts';
import { cancelVideo } from './cancel-video.ts';
import { createVideo } from './create-video.ts';
import { getVideoContent } from './get-video-content.ts';
import { getVideoOutput } from './get-video-output.ts';
import { getVideoTimeline } from './get-video-timeline.ts';
import { getVideo } from './get-video.ts';
import { listVideoModels } from './list-video-models.ts';
import { listVideos } from './list-videos.ts';

/** Lists the routes of the operations on video jobs, and the callbacks of providers. */
export const videoRoutes = {
  createVideo,
  listVideos,
  listVideoModels,
  getVideo,
  getVideoTimeline,
  cancelVideo,
  getVideoContent,
  getVideoOutput,
  receiveJobCallback,
  receiveProviderCallback,
};
