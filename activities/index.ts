import type { QueueName } from '../domain/runs.ts';
import { type BroadcastActivityDeps, createBroadcastActivities } from './broadcast-activities.ts';
import { createDirectoryActivities } from './directory-activities.ts';
import { createMaintenanceActivities, type MaintenanceDeps } from './maintenance-activities.ts';
import { createSweepActivities, type SweepActivityDeps } from './sweep-activities.ts';
import { createValidationActivities } from './validation-activities.ts';
import { createVideoActivities, type VideoActivityDeps } from './video-activities.ts';
import { createWebhookActivities } from './webhook-activities.ts';
import type { StopSignals } from './stop-signals.ts';
import { withPlainFailures } from './to-application-failure.ts';
import { withHeartbeats } from './with-heartbeats.ts';
import type { ValidateDeps } from '../services/endpoints/validation/validate-endpoint.ts';
import type { SyncDeps } from '../services/directory/sync/sync-deps.ts';
import type { AttemptDeps } from '../services/webhooks/attempt-delivery.ts';

export interface ActivityDeps {
  video: VideoActivityDeps;
  webhooks: AttemptDeps;
  broadcast: BroadcastActivityDeps;
  validations: ValidateDeps;
  directory: SyncDeps;
  sweeping: SweepActivityDeps;
  maintenance: MaintenanceDeps;
}

/** Builds the activities of each queue from their dependencies. */
export function createActivities(deps: ActivityDeps, stop: StopSignals): Record<QueueName, object> {
  const maintenance = {
    ...createSweepActivities(deps.sweeping, stop.requested),
    ...createMaintenanceActivities(deps.maintenance),
  };
  return {
    video: withPlainFailures(withHeartbeats(createVideoActivities(deps.video, stop.graceOver))),
    webhooks: withPlainFailures(withHeartbeats(createWebhookActivities(deps.webhooks, stop.graceOver))),
    broadcast: withPlainFailures(createBroadcastActivities(deps.broadcast, stop)),
    'provider-io': withPlainFailures(
      withHeartbeats(createValidationActivities(deps.validations, stop.graceOver)),
    ),
    directory: withPlainFailures(withHeartbeats(createDirectoryActivities(deps.directory, stop))),
    maintenance: withPlainFailures(withHeartbeats(maintenance)),
  };
}
