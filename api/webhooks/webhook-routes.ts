import type { webhookOperations } from '../../contract/webhooks/webhook-operations.ts';
import type { Route } from '../http/route.ts';
import { listWebhookDeliveries } from './list-webhook-deliveries.ts';
import { replayWebhookDelivery } from './replay-webhook-delivery.ts';

/** Answers the operations on deliveries of webhooks. */
export const webhookRoutes = {
  listWebhookDeliveries,
  replayWebhookDelivery,
} satisfies Record<keyof typeof webhookOperations, Route>;
