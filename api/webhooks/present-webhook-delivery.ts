import type {
  WebhookDeliveryRecord,
  WebhookDeliveryWithAttemptsRecord,
} from '../../contract/webhooks/webhook-deliveries.ts';
import type { DeliveryWithAttempts } from '../../db/webhooks/webhook-read-model.ts';
import type { WebhookDelivery } from '../../db/webhooks/webhook-store.ts';

/** Presents a delivery without its payload, which would be large in a list. */
export function presentWebhookDelivery(delivery: WebhookDelivery): WebhookDeliveryRecord {
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

export function presentWebhookDeliveryWithAttempts(
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
