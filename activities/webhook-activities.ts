import { createWebhookStore } from '../db/webhooks/webhook-store.ts';
import {
  attemptDelivery,
  type AttemptDeps,
  type AttemptStep,
} from '../services/webhooks/attempt-delivery.ts';

/** Creates the steps of a webhook's delivery. */
export function createWebhookActivities(deps: AttemptDeps, stopping: AbortSignal) {
  return {
    /** Makes one attempt. The workflow numbers the attempts, so a repetition after a crash has the same number. */
    async attemptWebhook(deliveryId: string, replay: number, attempt: number): Promise<AttemptStep> {
      return attemptDelivery(deps, deliveryId, { replay, attempt }, stopping);
    },

    /** Ends a delivery whose schedule is used up or that an operator ended. An operator can still replay it. */
    async giveUpWebhook(deliveryId: string, status: 'exhausted' | 'stopped', replay: number): Promise<void> {
      await createWebhookStore(deps.knex).giveUp(deliveryId, replay, status);
    },
  };
}

export type WebhookActivities = ReturnType<typeof createWebhookActivities>;
