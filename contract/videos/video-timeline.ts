/** Declares the operation that lists the events of a video job, and the shape of each event. */
import { z } from 'zod';
import { TERMINAL_STATUSES } from '../../domain/videos/job.ts';
import { REFUSAL_REASONS } from '../../domain/videos/wait-reason.ts';
import { ATTEMPT_OUTCOMES } from '../../domain/webhooks/webhook-delivery.ts';
import { defineOperations } from '../operation.ts';
import { jobParams } from './video.ts';
import { REASONS_EXPLAINED } from './video-waiting.ts';

const common = { access: 'read', tag: 'Videos' } as const;
const at = z.iso.datetime();

const event = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('accepted'), at }).meta({ description: 'The gateway accepted the job.' }),
    z
      .object({
        type: z.literal('refused'),
        at: at.meta({ description: 'The time of the first refusal.' }),
        last_at: at.meta({ description: 'The time of the latest refusal.' }),
        count: z.int(),
        provider: z.string(),
        reason: z.enum(REFUSAL_REASONS).meta({ description: REASONS_EXPLAINED }),
      })
      .meta({
        description:
          'A provider refused the job. The refusals of one provider for one reason are one event, with their number.',
      }),
    z
      .object({ type: z.literal('submitted'), at, provider: z.string() })
      .meta({ description: 'A provider accepted the job.' }),
    z
      .object({
        type: z.literal('checked'),
        at: at.meta({ description: 'The time of the latest check.' }),
        count: z.int(),
      })
      .meta({ description: 'The gateway asked the provider for the status. All checks are one event.' }),
    z
      .object({ type: z.literal('stored'), at, index: z.int() })
      .meta({ description: 'An output was stored.' }),
    z
      .object({ type: z.literal('settled'), at, status: z.enum(TERMINAL_STATUSES) })
      .meta({ description: 'The job ended, and its cost was billed.' }),
    z
      .object({
        type: z.literal('webhook_attempt'),
        at: at.meta({ description: 'The time at which the attempt began.' }),
        replay: z.int().meta({ description: '0 is the first delivery; each replay adds one.' }),
        attempt: z.int(),
        outcome: z.enum(ATTEMPT_OUTCOMES),
        status_code: z.int().nullable(),
      })
      .meta({ description: "The job's event was sent to its callback URL." }),
  ])
  .meta({ id: 'VideoEvent' });

export type VideoEventRecord = z.output<typeof event>;

const example = {
  data: [
    { type: 'accepted', at: '2026-01-01T00:00:00.000Z' },
    {
      type: 'refused',
      at: '2026-01-01T00:00:00.200Z',
      last_at: '2026-01-01T00:00:00.200Z',
      count: 1,
      provider: 'local',
      reason: 'rate_limited',
    },
    { type: 'submitted', at: '2026-01-01T00:00:01.000Z', provider: 'local' },
    { type: 'checked', at: '2026-01-01T00:01:28.000Z', count: 9 },
    { type: 'stored', at: '2026-01-01T00:01:29.000Z', index: 0 },
    { type: 'settled', at: '2026-01-01T00:01:30.000Z', status: 'completed' },
    {
      type: 'webhook_attempt',
      at: '2026-01-01T00:01:31.000Z',
      replay: 0,
      attempt: 1,
      outcome: 'delivered',
      status_code: 204,
    },
  ],
};

export const videoTimelineOperations = defineOperations(common, {
  getVideoTimeline: {
    route: 'GET /videos/{jobId}/timeline',
    summary: 'Get the timeline of a video job',
    description: 'Lists the events of the job, the oldest first.',
    params: jobParams,
    responses: {
      200: {
        description: 'The events so far.',
        schema: z.object({ data: z.array(event) }).meta({ id: 'VideoTimeline' }),
        example,
      },
    },
    errors: [403, 404],
  },
});
