/** Declares the operations on webhook deliveries, and the shapes of a delivery and its attempts. */
import { z } from 'zod';
import { ATTEMPT_OUTCOMES, DELIVERY_STATUSES } from '../../domain/webhooks/webhook-delivery.ts';
import { DELIVERED_EVENT_TYPES } from '../../domain/webhooks/webhook-event.ts';
import { answerWith, pageOf } from '../answers.ts';
import { moment } from '../moment.ts';
import { defineOperations } from '../operation.ts';
import { pageQuery } from '../query-values.ts';
import { text } from '../text.ts';

const common = { access: 'management', tag: 'Webhooks' } as const;
const time = z.iso.datetime();

const deliveryStatus = z.enum(DELIVERY_STATUSES).meta({
  description:
    '`pending`: attempts remain. `exhausted`: the last attempt failed. `stopped`: the receiver answered 410.',
});

const attempt = z.object({
  replay: z.int().meta({ description: '0 is the first delivery; each replay adds one.' }),
  attempt: z.int(),
  outcome: z.enum(ATTEMPT_OUTCOMES).meta({
    description:
      '`refused`: the event was not sent, because the address is not allowed or there is no signing secret; or the receiver answered 410.',
  }),
  status_code: z.int().nullable(),
  reason: z.string().nullable(),
  response_excerpt: z.string().nullable().meta({ description: 'Up to 1 KiB of the answer.' }),
  started_at: time,
  finished_at: time.nullable(),
});

const delivery = z
  .object({
    id: z.uuid(),
    job_id: z.string().nullable().meta({ description: 'Null: the event does not concern a video job.' }),
    workspace_id: z.uuid(),
    event_id: z
      .string()
      .meta({ description: 'Sent as `webhook-id`; the same for every attempt and replay.' }),
    event_type: z.string().meta({ examples: [...DELIVERED_EVENT_TYPES] }),
    url: z.string(),
    status: deliveryStatus,
    replays: z.int(),
    created_at: time,
    completed_at: time.nullable(),
  })
  .meta({ id: 'WebhookDelivery' });

const deliveryWithAttempts = delivery
  .extend({ attempts: z.array(attempt) })
  .meta({ id: 'WebhookDeliveryWithAttempts' });

export type WebhookDeliveryRecord = z.output<typeof delivery>;
export type WebhookDeliveryWithAttemptsRecord = z.output<typeof deliveryWithAttempts>;

const example = {
  id: '4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21',
  job_id: 'gen-vid-1767225600000-a1B2c3D4e5F6g7H8i9J0',
  workspace_id: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
  event_id: 'gen-vid-1767225600000-a1B2c3D4e5F6g7H8i9J0-completed',
  event_type: 'video.generation.completed',
  url: 'https://app.example.com/hooks/videos',
  status: 'pending',
  replays: 0,
  created_at: '2026-01-01T00:01:30.000Z',
  completed_at: null,
};

const attemptExample = {
  replay: 0,
  attempt: 1,
  outcome: 'failed',
  status_code: 503,
  reason: 'The receiver answered 503',
  response_excerpt: 'Service Unavailable',
  started_at: '2026-01-01T00:01:31.000Z',
  finished_at: '2026-01-01T00:01:31.250Z',
};

export const webhookDeliveryOperations = defineOperations(common, {
  listWebhookDeliveries: {
    route: 'GET /webhooks/deliveries',
    summary: 'List webhook deliveries',
    description: 'Lists the deliveries of the organization, the newest first, each with its attempts.',
    query: z.object({
      ...pageQuery,
      workspace_id: z.uuid().optional().meta({ description: 'Lists only deliveries of this workspace.' }),
      job_id: text({ min: 1, max: 64 })
        .optional()
        .meta({ description: 'Lists only deliveries of this video job.' }),
      status: z
        .enum([...DELIVERY_STATUSES, 'failed'])
        .optional()
        .meta({ description: '`failed` stands for `exhausted` and `stopped`.' }),
      since: moment
        .optional()
        .meta({ description: 'Lists only deliveries of events written at this time or later.' }),
      until: moment
        .optional()
        .meta({ description: 'Lists only deliveries of events written before this time.' }),
      type: z.enum(DELIVERED_EVENT_TYPES).optional().meta({ description: 'Lists only events of this type.' }),
    }),
    responses: {
      200: {
        description: 'One page of deliveries.',
        ...pageOf('WebhookDeliveryList', deliveryWithAttempts, { ...example, attempts: [attemptExample] }),
      },
    },
  },

  replayWebhookDelivery: {
    route: 'POST /webhooks/deliveries/{id}/replay',
    summary: 'Replay a webhook delivery',
    description: 'Sends the same event again, with the same `webhook-id`, on the usual schedule of attempts.',
    params: z.object({ id: z.uuid() }),
    responses: {
      202: {
        description: 'The delivery, pending again.',
        ...answerWith('ReplayedWebhookDelivery', delivery, { ...example, replays: 1 }),
      },
    },
    errors: [404, 409],
  },
});
