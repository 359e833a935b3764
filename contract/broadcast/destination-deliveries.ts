import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { pageQuery } from '../query-values.ts';
import * as examples from './delivery-examples.ts';
import { destinationParams as params } from './destinations.ts';

const tag = 'Observability';
const MAX_LETTERS = 100;

const time = z.iso.datetime();
const count = z.int().min(0);

const testResult = z
  .object({
    passed: z.boolean().meta({ description: 'Whether the tool accepted the test.' }),
    status: z.int().nullable().meta({ description: 'Null: nobody answered, or nothing was sent.' }),
    text: z.string().meta({
      description:
        'At most 1 KiB of the answer, without the secrets of the destination. Without an answer, the reason of the failure.',
    }),
  })
  .meta({ id: 'ObservabilityTestResult' });

export const testObservabilityDestination = defineOperation({
  id: 'testObservabilityDestination',
  method: 'post',
  path: '/observability/destinations/{id}/test',
  access: 'management',
  tag,
  summary: 'Test a destination',
  description:
    'Sends one span of a generation that never was, also to a destination that is disabled, and answers 200 with what came back, whatever it was. A webhook receives an empty payload with the header `X-Test-Connection: true` instead, signed like every other, and passes with 400 as well. It is sent once, is not in the log of deliveries, and changes nothing. `passed` says that the tool accepted the span, and not that the tool shows it.',
  params,
  responses: {
    200: {
      description: 'What came of it. See `passed`.',
      schema: z.object({ data: testResult }).meta({ id: 'ObservabilityTestAnswer' }),
      example: { data: examples.testResult },
    },
  },
  errors: [404],
});

const attempt = z
  .object({
    at: time.meta({ description: 'When it ended.' }),
    outcome: z.enum(['delivered', 'failed']),
    events: count.meta({ description: 'How many generations it held.' }),
    bytes: count.nullable().meta({ description: 'Encoded, before compression.' }),
    status: z.int().nullable().meta({ description: 'The status of the answer. Null: nobody answered.' }),
    reason: z.string().nullable().meta({ description: 'Why it failed. Null when it did not.' }),
    response_excerpt: z.string().nullable().meta({
      description: 'At most 1 KiB of the answer. An answer that repeats prompts or completions is not shown.',
    }),
    took_ms: count,
  })
  .meta({ id: 'ObservabilityAttempt' });

export type AttemptRecord = z.output<typeof attempt>;

export const listObservabilityDeliveries = defineOperation({
  id: 'listObservabilityDeliveries',
  method: 'get',
  path: '/observability/destinations/{id}/deliveries',
  access: 'management',
  tag,
  summary: 'List the deliveries of a destination',
  description:
    'The attempts to deliver generations, the newest first. Failed ones are kept for 7 days; of successful ones there are the latest hundred. Each answer after which a batch is divided is an attempt of its own.',
  params,
  query: z.object(pageQuery),
  responses: {
    200: {
      description: 'One page of attempts.',
      schema: z
        .object({ data: z.array(attempt), total_count: z.int() })
        .meta({ id: 'ObservabilityAttemptList' }),
      example: { data: [examples.attempt], total_count: 1 },
    },
  },
  errors: [404],
});

const deadLetter = z
  .object({
    id: z.uuid(),
    generation_id: z.string(),
    generation_created_at: time.meta({ description: 'When the generation began.' }),
    reason: z.string().meta({ description: 'Why the tool refused it, or does not take it.' }),
    status: z.int().nullable().meta({ description: 'The status of the refusal. Null: it was not sent.' }),
    died_at: time.meta({ description: 'When it was set aside.' }),
    replay_requested_at: time.nullable().meta({
      description:
        'Since when it waits to be sent again. Null: nobody has asked for that, or it was refused again.',
    }),
  })
  .meta({ id: 'ObservabilityDeadLetter' });

export type DeadLetterRecord = z.output<typeof deadLetter>;

export const listObservabilityDeadLetters = defineOperation({
  id: 'listObservabilityDeadLetters',
  method: 'get',
  path: '/observability/destinations/{id}/dead-letters',
  access: 'management',
  tag,
  summary: 'List the dead letters of a destination',
  description:
    'The generations that the tool refused for what is in them, or that are too old or too large for it, those set aside last first. They are kept for 7 days. Prompts and answers are not shown.',
  params,
  query: z.object(pageQuery),
  responses: {
    200: {
      description: 'One page of dead letters.',
      schema: z
        .object({ data: z.array(deadLetter), total_count: z.int() })
        .meta({ id: 'ObservabilityDeadLetterList' }),
      example: { data: [examples.deadLetter], total_count: 1 },
    },
  },
  errors: [404],
});

export const replayObservabilityDeadLetters = defineOperation({
  id: 'replayObservabilityDeadLetters',
  method: 'post',
  path: '/observability/destinations/{id}/dead-letters/replay',
  access: 'management',
  tag,
  summary: 'Send dead letters again',
  description:
    'Sends the dead letters of a destination again, soon and whatever its filters are now. A delivered one is deleted; one that is refused again stays. A destination that is disabled sends nothing: 409 asks to enable it first.',
  params,
  body: {
    schema: z
      .object({
        ids: z.array(z.uuid()).min(1).max(MAX_LETTERS).optional().meta({
          description:
            'Only these dead letters. Ids that name none of the destination do nothing. Absent: all of them.',
        }),
      })
      .meta({ id: 'ObservabilityReplay' }),
    limit: 'default',
    optional: true,
    examples: examples.replays,
  },
  responses: {
    202: {
      description: 'They wait to be sent.',
      schema: z
        .object({
          data: z.object({ count: count.meta({ description: 'How many dead letters are sent again.' }) }),
        })
        .meta({ id: 'ObservabilityReplayAnswer' }),
      example: { data: { count: 1 } },
    },
  },
  errors: [404, 409],
});
