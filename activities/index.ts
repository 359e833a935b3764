import type { QueueName } from '../domain/runs.ts';
import { createMaintenanceActivities, type MaintenanceDeps } from './maintenance-activities.ts';
import { createSweepActivities, type SweepActivityDeps } from './sweep-activities.ts';
import { createVideoActivities, type VideoActivityDeps } from './video-activities.ts';
import { createWebhookActivities } from './webhook-activities.ts';
import { withPlainFailures } from './to-application-failure.ts';
import { withHeartbeats } from './with-heartbeats.ts';
import type { AttemptDeps } from '../services/webhooks/attempt-delivery.ts';

export interface ActivityDeps {
  video: VideoActivityDeps;
  webhooks: AttemptDeps;
  sweeping: SweepActivityDeps;
  maintenance: MaintenanceDeps;
}

export interface StopSignals {
  /** Aborts when the worker is asked to stop. The SDK does not tell activities so before the grace is over. */
  requested: AbortSignal;
  /**
   * Aborts when the worker's grace is over, and for nothing else. The context's own signal also tells, with the answer
   * to a heartbeat, that the attempt was cancelled or timed out, and tells no more after that; but a call that is under
   * way may be paid for, and its answer is kept in the rows whoever still waits for it.
   */
  graceOver: AbortSignal;
}

/** The activities of each queue, built from their dependencies. */
export function createActivities(deps: ActivityDeps, stop: StopSignals): Record<QueueName, object> {
  const maintenance = {
    ...createSweepActivities(deps.sweeping, stop.requested),
    ...createMaintenanceActivities(deps.maintenance),
  };
  return {
    video: withPlainFailures(withHeartbeats(createVideoActivities(deps.video, stop.graceOver))),
    webhooks: withPlainFailures(withHeartbeats(createWebhookActivities(deps.webhooks, stop.graceOver))),
    maintenance: withPlainFailures(withHeartbeats(maintenance)),
  };
}
