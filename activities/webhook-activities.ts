import { createWebhookStore } from '../db/webhooks/webhook-store.ts';
import {
  attemptDelivery,
  type AttemptDeps,
  type AttemptStep,
} from '../services/webhooks/attempt-delivery.ts';

/** The steps of a webhook's delivery. */
export function createWebhookActivities(deps: AttemptDeps, stopping: AbortSignal) {
  return {
    /** Numbers the attempt itself: a repetition after a crash is the same attempt. */
    async attemptWebhook(deliveryId: string, replay: number, attempt: number): Promise<AttemptStep> {
      return attemptDelivery(deps, deliveryId, { replay, attempt }, stopping);
    },

    /** The schedule is used up, or an operator ended it; the delivery can still be replayed by hand. */
    async giveUpWebhook(deliveryId: string, status: 'exhausted' | 'stopped', replay: number): Promise<void> {
      await createWebhookStore(deps.knex).giveUp(deliveryId, replay, status);
    },
  };
}

export type WebhookActivities = ReturnType<typeof createWebhookActivities>;
