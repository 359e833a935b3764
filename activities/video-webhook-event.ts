import { videoWebhookEvent, type VideoWebhookEvent } from '../contract/webhook-events.ts';
import { meteredUsageOf } from '../domain/videos/video-usage.ts';
import { nanosToUsd } from '../domain/money.ts';
import type { EndedJob } from '../services/videos/settle-job.ts';
import type { RenderedEvent } from '../services/webhooks/write-event.ts';

/**
 * Creates the function that renders a job's webhook event. The event is validated against the contract before it is
 * stored in the outbox.
 */
export function createEventRenderer(publicUrl: string) {
  return (ended: EndedJob): RenderedEvent => {
    const event = videoWebhookEvent.parse(toEvent(ended, publicUrl));
    return { type: event.type, payload: JSON.stringify(event) };
  };
}

function toEvent(ended: EndedJob, publicUrl: string): VideoWebhookEvent {
  const { job, end, error, outputs, endedAt } = ended;
  const at = endedAt.toISOString();
  const contentUrl = `${publicUrl}/api/v1/videos/${job.id}/content`;
  const urls = Array.from({ length: outputs }, (_, index) => `${contentUrl}?index=${index}`);
  const { costNanos, isByok } = job;
  return {
    type: `video.generation.${end.status}`,
    timestamp: at,
    created_at: at,
    data: {
      id: job.id,
      status: end.status,
      generation_id: job.generationId,
      model: job.model,
      unsigned_urls: end.status === 'completed' ? urls : undefined,
      usage:
        costNanos === null
          ? undefined
          : {
              cost: isByok ? 0 : nanosToUsd(costNanos),
              is_byok: isByok,
              ...meteredUsageOf(ended.report, ended.billingFlag),
            },
      error: error ?? undefined,
    },
  };
}
