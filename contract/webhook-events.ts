/** Lists every webhook event with its body and an example. */
import { z } from 'zod';
import { TERMINAL_STATUSES } from '../domain/videos/job.ts';
import {
  TEST_EVENT_TYPE,
  VIDEO_EVENT_TYPES,
  type WebhookEventType,
} from '../domain/webhooks/webhook-event.ts';
import { destinationEvents } from './broadcast/destination-event.ts';
import { modelExpiring } from './catalog/expiring-event.ts';
import { meteredUsage } from './videos/video-usage.ts';
import { budgetThresholdReached } from './ledger/budget-event.ts';
import { removalsHeld } from './directory/removals-held-event.ts';
import { eventTimes, exampleTimes, type WebhookEventDefinition } from './webhooks/webhook-event.ts';

/** The body of an event about a video job. It never holds signed URLs: logs and proxies would keep them. */
export const videoWebhookEvent = z
  .object({
    type: z.enum(VIDEO_EVENT_TYPES),
    ...eventTimes,
    data: z.object({
      id: z.string(),
      status: z.enum(TERMINAL_STATUSES),
      generation_id: z.string(),
      model: z.string(),
      unsigned_urls: z.array(z.string()).optional(),
      usage: z.object({ cost: z.number(), is_byok: z.boolean(), ...meteredUsage }).optional(),
      error: z.string().optional(),
    }),
  })
  .meta({ id: 'VideoWebhookEvent' });

export type VideoWebhookEvent = z.output<typeof videoWebhookEvent>;

/** The body of the test event that a caller sends to a callback URL. */
export const testWebhookEvent = z
  .object({ type: z.literal(TEST_EVENT_TYPE), ...eventTimes, data: z.object({ workspace_id: z.uuid() }) })
  .meta({ id: 'TestWebhookEvent' });

export type TestWebhookEvent = z.output<typeof testWebhookEvent>;

const exampleJob = {
  id: 'gen-vid-1767225600000-a1B2c3D4e5F6g7H8i9J0',
  generation_id: 'gen-1767225600000-K9l8M7n6O5p4Q3r2S1t0',
  model: 'local/clip-1',
};

function endedWithoutVideo(
  status: 'failed' | 'cancelled' | 'expired',
  error: string,
  when: string,
): WebhookEventDefinition {
  return {
    summary: `Sent when a video job ${when}`,
    description: '`data.error` says why there is no video.',
    schema: videoWebhookEvent,
    example: {
      type: `video.generation.${status}`,
      ...exampleTimes,
      data: { ...exampleJob, status, error },
    },
  };
}

/** All types of events. docs/webhooks.md has a section for each. */
export const webhookEvents: Record<WebhookEventType, WebhookEventDefinition> = {
  'video.generation.completed': {
    summary: 'Sent when the files of a video job are stored',
    description: 'Downloads from `data.unsigned_urls` require an API key. Fetch the job for signed URLs.',
    schema: videoWebhookEvent,
    example: {
      type: 'video.generation.completed',
      ...exampleTimes,
      data: {
        ...exampleJob,
        status: 'completed',
        unsigned_urls: [`https://gateway.example.com/api/v1/videos/${exampleJob.id}/content?index=0`],
        usage: { cost: 0.12, is_byok: false },
      },
    },
  },
  'video.generation.failed': endedWithoutVideo(
    'failed',
    'The provider could not generate the video',
    'ends without a video',
  ),
  'video.generation.cancelled': endedWithoutVideo('cancelled', 'The job was cancelled', 'is cancelled'),
  'video.generation.expired': endedWithoutVideo(
    'expired',
    'The job did not finish before its deadline',
    'passes its deadline',
  ),
  'budget.threshold_reached': budgetThresholdReached,
  ...destinationEvents,
  'directory.removals_held': removalsHeld,
  'model.expiring': modelExpiring,
  'webhook.test': {
    summary: 'Sent by `POST /workspaces/{id}/webhook/test`',
    description: 'The event is sent once, and is not in the delivery log.',
    schema: testWebhookEvent,
    example: {
      type: 'webhook.test',
      ...exampleTimes,
      data: { workspace_id: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11' },
    },
  },
};
