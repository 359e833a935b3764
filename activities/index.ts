import type { QueueName } from '../domain/runs.ts';
import { createMaintenanceActivities, type MaintenanceDeps } from './maintenance-activities.ts';
import { createVideoActivities, type VideoActivityDeps } from './video-activities.ts';
import { createWebhookActivities } from './webhook-activities.ts';
import { withPlainFailures } from './to-application-failure.ts';
import { withHeartbeats } from './with-heartbeats.ts';
import type { AttemptDeps } from '../services/webhooks/attempt-delivery.ts';

export interface ActivityDeps {
  video: VideoActivityDeps;
  webhooks: AttemptDeps;
  maintenance: MaintenanceDeps;
}

/**
 * The activities of each queue, built from their dependencies. `stopping` aborts when the worker's grace is
 * over, and for nothing else. The context's own signal also tells, with the answer to a heartbeat, that the
 * attempt was cancelled or timed out, and tells no more after that; but a call that is under way may be paid
 * for, and its answer is kept in the rows whoever still waits for it.
 */
export function createActivities(deps: ActivityDeps, stopping: AbortSignal): Record<QueueName, object> {
  return {
    video: withPlainFailures(withHeartbeats(createVideoActivities(deps.video, stopping))),
    webhooks: withPlainFailures(withHeartbeats(createWebhookActivities(deps.webhooks, stopping))),
    maintenance: withPlainFailures(withHeartbeats(createMaintenanceActivities(deps.maintenance))),
  };
}
