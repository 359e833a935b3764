import type { QueueName } from '../domain/runs.ts';
import { createMaintenanceActivities, type MaintenanceDeps } from './maintenance-activities.ts';
import { createVideoActivities, type VideoActivityDeps } from './video-activities.ts';
import { createWebhookActivities } from './webhook-activities.ts';
import { withPlainFailures } from './to-application-failure.ts';
import type { AttemptDeps } from '../services/webhooks/attempt-delivery.ts';

export interface ActivityDeps {
  video: VideoActivityDeps;
  webhooks: AttemptDeps;
  maintenance: MaintenanceDeps;
}

/** The activities of each queue, built from their dependencies. */
export function createActivities(deps: ActivityDeps): Record<QueueName, object> {
  return {
    video: withPlainFailures(createVideoActivities(deps.video)),
    webhooks: withPlainFailures(createWebhookActivities(deps.webhooks)),
    maintenance: withPlainFailures(createMaintenanceActivities(deps.maintenance)),
  };
}
