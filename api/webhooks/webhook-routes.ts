import { listWebhookDeliveries } from './list-webhook-deliveries.ts';
import { replayWebhookDelivery } from './replay-webhook-delivery.ts';

/** Lists the routes of the operations on deliveries of webhooks. */
export const webhookRoutes = {
  listWebhookDeliveries,
  replayWebhookDelivery,
};
