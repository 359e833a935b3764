import type { QueueName } from '../domain/runs.ts';
import { createMaintenanceActivities, type MaintenanceDeps } from './maintenance-activities.ts';
import { createVideoActivities, type VideoActivityDeps } from './video-activities.ts';
import { createWebhookActivities } from './webhook-activities.ts';
import type { AttemptDeps } from '../services/webhooks/attempt-delivery.ts';

export interface ActivityDeps {
  video: VideoActivityDeps;
  webhooks: AttemptDeps;
  maintenance: MaintenanceDeps;
}

/** The activities of each queue, built from their dependencies. */
export function createActivities(deps: ActivityDeps): Record<QueueName, object> {
  return {
    video: createVideoActivities(deps.video),
    webhooks: createWebhookActivities(deps.webhooks),
    maintenance: createMaintenanceActivities(deps.maintenance),
  };
}
