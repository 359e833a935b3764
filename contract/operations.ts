import { checkHealth, checkReadiness } from './health.ts';
import { getCurrentKey } from './keys.ts';
import {
  cancelVideo,
  createVideo,
  getVideo,
  getVideoContent,
  getVideoOutput,
  listVideoModels,
  listVideos,
} from './videos.ts';
import { listWebhookDeliveries, replayWebhookDelivery } from './webhook-deliveries.ts';

/** Every operation, by its id. Router, validation and docs/openapi.json are made from this and nothing else. */
export const operations = {
  createVideo,
  listVideos,
  listVideoModels,
  getVideo,
  cancelVideo,
  getVideoContent,
  getVideoOutput,
  getCurrentKey,
  listWebhookDeliveries,
  replayWebhookDelivery,
  checkHealth,
  checkReadiness,
};

export type OperationId = keyof typeof operations;
