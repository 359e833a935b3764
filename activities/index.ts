/** Builds the activities of each queue from their dependencies. */
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
import { withHeartbeats } from './wrap-activities.ts';
import { withSharedSlots } from './with-shared-slots.ts';
import type { ValidateDeps } from '../services/endpoints/validation/validate-endpoint.ts';
import type { SharedSlots } from '../services/shared-slots.ts';
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
  /** The slots of the queues that organizations share. */
  slots: Record<'video' | 'webhooks' | 'broadcast', SharedSlots>;
}

/** Creates the activities that the worker of each queue runs. */
export function createActivities(deps: ActivityDeps, stop: StopSignals): Record<QueueName, object> {
  const maintenance = {
    ...createSweepActivities(deps.sweeping, stop.requested),
    ...createMaintenanceActivities(deps.maintenance),
  };
  return {
    video: withPlainFailures(withHeartbeats(videoActivities(deps, stop))),
    webhooks: withPlainFailures(withHeartbeats(webhookActivities(deps, stop))),
    broadcast: withPlainFailures(
      withSharedSlots(deps.slots.broadcast, createBroadcastActivities(deps.broadcast, stop)),
    ),
    'provider-io': withPlainFailures(
      withHeartbeats(createValidationActivities(deps.validations, stop.graceOver)),
    ),
    directory: withPlainFailures(withHeartbeats(createDirectoryActivities(deps.directory, stop))),
    maintenance: withPlainFailures(withHeartbeats(maintenance)),
  };
}

/** Shares slots for the calls of providers. Cancelling has a limit of attempts, and the settlement is short. */
function videoActivities({ video: deps, slots }: ActivityDeps, stop: StopSignals) {
  const activities = createVideoActivities(deps, stop.graceOver);
  const { submitVideo, checkVideoStatus, storeVideoOutputs } = activities;
  const calls = { submitVideo, checkVideoStatus, storeVideoOutputs };
  return { ...activities, ...withSharedSlots(slots.video, calls) };
}

function webhookActivities({ webhooks: deps, slots }: ActivityDeps, stop: StopSignals) {
  const activities = createWebhookActivities(deps, stop.graceOver);
  const { attemptWebhook } = activities;
  return { ...activities, ...withSharedSlots(slots.webhooks, { attemptWebhook }) };
}
