import { operations } from '../../../contract/operations.ts';
import { presentWebhookDelivery } from '../../presenters/webhook-delivery.ts';
import { defineRoute } from '../../route.ts';

export const replayWebhookDelivery = defineRoute(
  operations.replayWebhookDelivery,
  async ({ principal, params }, { services }) => ({
    status: 202,
    body: { data: presentWebhookDelivery(await services.webhooks.replay(principal, params.id)) },
  }),
);
