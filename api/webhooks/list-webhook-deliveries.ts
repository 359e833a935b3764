/** Handles `GET /webhooks/deliveries`: lists the webhook deliveries of the organization, with their attempts. */
import { operations } from '../../contract/operations.ts';
import { presentWebhookDeliveryWithAttempts } from './present-webhook-delivery.ts';
import { withoutUndefined } from '../http/request/without-undefined.ts';
import { defineRoute } from '../http/route.ts';

export const listWebhookDeliveries = defineRoute(
  operations.listWebhookDeliveries,
  async ({ principal, query }, { services }) => {
    const { limit, offset, workspace_id: workspaceId, job_id: jobId, status, type } = query;
    const page = withoutUndefined({ limit, offset, workspaceId, jobId, status, type });
    const { deliveries, totalCount } = await services.webhooks.listDeliveries(principal, page);
    return {
      status: 200,
      body: { data: deliveries.map(presentWebhookDeliveryWithAttempts), total_count: totalCount },
    };
  },
);
