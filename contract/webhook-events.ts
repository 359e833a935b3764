import { z } from 'zod';
import { TERMINAL_STATUSES } from '../domain/job.ts';

export const WEBHOOK_EVENT_TYPES = [
  'video.generation.completed',
  'video.generation.failed',
  'video.generation.cancelled',
  'video.generation.expired',
] as const;

/** Body of a webhook (design: §8). It never holds signed URLs: logs and proxies would keep them. */
export const webhookEvent = z
  .object({
    type: z.enum(WEBHOOK_EVENT_TYPES),
    timestamp: z.iso.datetime().meta({ description: 'When the job ended.' }),
    created_at: z.iso.datetime().meta({ description: 'The same as `timestamp`.' }),
    data: z.object({
      id: z.string(),
      status: z.enum(TERMINAL_STATUSES),
      generation_id: z.string(),
      model: z.string(),
      unsigned_urls: z.array(z.string()).optional(),
      usage: z.object({ cost: z.number(), is_byok: z.boolean() }).optional(),
      error: z.string().optional(),
    }),
  })
  .meta({ id: 'WebhookEvent' });

export type WebhookEvent = z.output<typeof webhookEvent>;

export const webhookEventExample = {
  type: 'video.generation.completed',
  timestamp: '2026-01-01T00:01:30.000Z',
  created_at: '2026-01-01T00:01:30.000Z',
  data: {
    id: 'gen-vid-1767225600000-a1B2c3D4e5F6g7H8i9J0',
    status: 'completed',
    generation_id: 'gen-1767225600000-K9l8M7n6O5p4Q3r2S1t0',
    model: 'local/sketch',
    unsigned_urls: [
      'https://gateway.example.com/api/v1/videos/gen-vid-1767225600000-a1B2c3D4e5F6g7H8i9J0/content?index=0',
    ],
    usage: { cost: 0.12, is_byok: false },
  },
};
