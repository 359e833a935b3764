import { receiveJobCallback, receiveProviderCallback } from './provider-callbacks.ts';
import { getVideoTimeline } from './video-timeline.ts';
import {
  createVideo,
  listVideos,
  listVideoModels,
  getVideo,
  cancelVideo,
  getVideoContent,
  getVideoOutput,
} from './videos.ts';

/** Lists the operations on video jobs, and the callbacks of providers. */
export const videoOperations = {
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
