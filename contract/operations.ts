import { liveOperations } from './live/live-operations.ts';
import { catalogOperations } from './catalog/catalog-operations.ts';
import { insightOperations } from './insights/insight-operations.ts';
import { videoOperations } from './videos/video-operations.ts';
import { presetOperations } from './presets/preset-operations.ts';
import { accountOperations } from './accounts/account-operations.ts';
import { webhookOperations } from './webhooks/webhook-operations.ts';
import { broadcastOperations } from './broadcast/broadcast-operations.ts';
import { endpointOperations } from './endpoints/endpoint-operations.ts';
import { directoryOperations } from './directory/directory-operations.ts';
import { programmeOperations } from './interns/programme-operations.ts';
import { checkHealth, checkReadiness } from './health.ts';

/** All operations by their id. Router, validation and docs/openapi.json are derived from this object. */
export const operations = {
  ...liveOperations,
  ...catalogOperations,
  ...insightOperations,
  ...videoOperations,
  ...presetOperations,
  ...accountOperations,
  ...webhookOperations,
  ...broadcastOperations,
  ...endpointOperations,
  ...directoryOperations,
  ...programmeOperations,
  checkHealth,
  checkReadiness,
};

export type OperationId = keyof typeof operations;
