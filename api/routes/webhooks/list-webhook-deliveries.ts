import { operations } from '../../../contract/operations.ts';
import { presentWebhookDeliveryWithAttempts } from '../../presenters/webhook-delivery.ts';
import { defineRoute } from '../../route.ts';

export const listWebhookDeliveries = defineRoute(
  operations.listWebhookDeliveries,
  async ({ principal, query }, { services }) => {
    const { limit, offset, job_id: jobId, status } = query;
    const { deliveries, totalCount } = await services.webhooks.listDeliveries(principal, {
      limit,
      offset,
      ...(jobId === undefined ? {} : { jobId }),
      ...(status === undefined ? {} : { status }),
    });
    return {
      status: 200,
      body: { data: deliveries.map(presentWebhookDeliveryWithAttempts), total_count: totalCount },
    };
  },
);
