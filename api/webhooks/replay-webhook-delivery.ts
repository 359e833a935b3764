/** Handles `POST /webhooks/deliveries/{id}/replay`: sends the event of a webhook delivery again. */
import { operations } from '../../contract/operations.ts';
import { actorOf } from '../../domain/principal.ts';
import { presentWebhookDelivery } from './present-webhook-delivery.ts';
import { defineRoute } from '../http/route.ts';

export const replayWebhookDelivery = defineRoute(
  operations.replayWebhookDelivery,
  async ({ principal, client, params }, { services }) => {
    const delivery = await services.webhooks.replay(actorOf(principal, client), params.id);
    return { status: 202, body: { data: presentWebhookDelivery(delivery) } };
  },
);
