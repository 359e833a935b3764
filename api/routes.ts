import type { operations } from '../contract/operations.ts';
import type { RoutesOf } from './http/route.ts';
import { liveRoutes } from './live/live-routes.ts';
import { catalogRoutes } from './catalog/catalog-routes.ts';
import { insightRoutes } from './insights/insight-routes.ts';
import { videoRoutes } from './videos/video-routes.ts';
import { presetRoutes } from './presets/preset-routes.ts';
import { accountRoutes } from './accounts/account-routes.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';
import { broadcastRoutes } from './broadcast/broadcast-routes.ts';
import { endpointRoutes } from './endpoints/endpoint-routes.ts';
import { directoryRoutes } from './directory/directory-routes.ts';
import { programmeRoutes } from './interns/programme-routes.ts';
import { checkHealth } from './health/check-health.ts';
import { checkReadiness } from './health/check-readiness.ts';

/** All routes, one for each operation of the contract; a missing or a wrong one does not compile. */
export const routes: RoutesOf<typeof operations> = {
  ...liveRoutes,
  ...catalogRoutes,
  ...insightRoutes,
  ...videoRoutes,
  ...presetRoutes,
  ...accountRoutes,
  ...webhookRoutes,
  ...broadcastRoutes,
  ...endpointRoutes,
  ...directoryRoutes,
  ...programmeRoutes,
  checkHealth,
  checkReadiness,
};
