import { listWebhookDeliveries, replayWebhookDelivery } from './webhook-deliveries.ts';

/** Lists the operations on deliveries of webhooks. */
export const webhookOperations = {
  listWebhookDeliveries,
  replayWebhookDelivery,
};
