/** Lists the deliveries of webhooks, and repeats them. */
import type {
  webhookDeliveryOperations,
  WebhookDeliveryRecord,
  WebhookDeliveryWithAttemptsRecord,
} from '../../contract/webhooks/webhook-deliveries.ts';
import { toMoment } from '../../contract/moment.ts';
import type { DeliveryWithAttempts } from '../../db/webhooks/webhook-read-model.ts';
import type { WebhookDelivery } from '../../db/webhooks/webhook-store.ts';
import { actorOf } from '../../domain/principal.ts';
import type { WebhookService } from '../../services/webhooks/webhook-service.ts';
import type { RoutesOf } from '../http/route.ts';

interface Used {
  webhooks: WebhookService;
}

export const webhookDeliveryRoutes: RoutesOf<typeof webhookDeliveryOperations, Used> = {
  /** Handles `GET /webhooks/deliveries`: lists the webhook deliveries of the organization, with their attempts. */
  listWebhookDeliveries: async ({ principal, query }, { services }) => {
    const { workspace_id: workspaceId, job_id: jobId, since, until, ...rest } = query;
    const page = {
      ...rest,
      workspaceId,
      jobId,
      since: since === undefined ? undefined : toMoment(since),
      until: until === undefined ? undefined : toMoment(until),
    };
    const { deliveries, totalCount } = await services.webhooks.listDeliveries(principal, page);
    return {
      status: 200,
      body: { data: deliveries.map(presentWebhookDeliveryWithAttempts), total_count: totalCount },
    };
  },

  /** Handles `POST /webhooks/deliveries/{id}/replay`: sends the event of a webhook delivery again. */
  replayWebhookDelivery: async (call, { services }) => {
    const delivery = await services.webhooks.replay(actorOf(call), call.params.id);
    return { status: 202, body: { data: presentWebhookDelivery(delivery) } };
  },
};

/** Presents a delivery without its payload, which would be large in a list. */
function presentWebhookDelivery(delivery: WebhookDelivery): WebhookDeliveryRecord {
  return {
    id: delivery.id,
    job_id: delivery.jobId,
    workspace_id: delivery.workspaceId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    url: delivery.url,
    status: delivery.status,
    replays: delivery.replays,
    created_at: delivery.createdAt.toISOString(),
    completed_at: delivery.completedAt?.toISOString() ?? null,
  };
}

function presentWebhookDeliveryWithAttempts(
  delivery: DeliveryWithAttempts,
): WebhookDeliveryWithAttemptsRecord {
  return {
    ...presentWebhookDelivery(delivery),
    attempts: delivery.attempts.map((attempt) => ({
      replay: attempt.replay,
      attempt: attempt.attempt,
      outcome: attempt.outcome,
      status_code: attempt.statusCode,
      reason: attempt.reason,
      response_excerpt: attempt.responseExcerpt,
      started_at: attempt.startedAt.toISOString(),
      finished_at: attempt.finishedAt?.toISOString() ?? null,
    })),
  };
}
