/**
 * Declares the operations that test a destination, list its deliveries and dead letters, and send dead letters again.
 */
import { z } from 'zod';
import { answerWith, pageOf } from '../answers.ts';
import { defineOperations } from '../operation.ts';
import { moment } from '../moment.ts';
import { pageQuery } from '../query-values.ts';
import * as examples from './delivery-examples.ts';
import { destinationParams as params } from './destinations.ts';

const common = { access: 'management', tag: 'Observability' } as const;
const MAX_LETTERS = 100;

const time = z.iso.datetime();
const count = z.int().min(0);

const testResult = z
  .object({
    passed: z.boolean().meta({ description: 'True if the tool accepted the test.' }),
    status: z.int().nullable().meta({ description: 'Null: there was no answer, or no request was sent.' }),
    text: z.string().meta({
      description:
        'Up to 1 KiB of the answer, without the secrets of the destination. Without an answer, the reason of the failure.',
    }),
  })
  .meta({ id: 'ObservabilityTestResult' });

const attempt = z
  .object({
    at: time.meta({ description: 'The time at which the attempt ended.' }),
    outcome: z.enum(['delivered', 'failed']),
    events: count.meta({ description: 'The number of generations in the attempt.' }),
    bytes: count.nullable().meta({ description: 'The encoded size, before compression.' }),
    status: z.int().nullable().meta({ description: 'The status of the answer. Null: there was no answer.' }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'The reason of the failure. Null: the attempt succeeded.' }),
    response_excerpt: z.string().nullable().meta({
      description: 'Up to 1 KiB of the answer. An answer that repeats prompts or completions is not shown.',
    }),
    took_ms: count,
  })
  .meta({ id: 'ObservabilityAttempt' });

export type AttemptRecord = z.output<typeof attempt>;

const deadLetter = z
  .object({
    id: z.uuid(),
    generation_id: z.string(),
    generation_created_at: time.meta({ description: 'The time at which the generation began.' }),
    reason: z
      .string()
      .meta({ description: 'The reason why the tool refused the generation, or why it cannot be sent.' }),
    status: z
      .int()
      .nullable()
      .meta({ description: 'The status of the refusal. Null: the generation was not sent.' }),
    died_at: time.meta({ description: 'The time at which the generation became a dead letter.' }),
    replay_requested_at: time.nullable().meta({
      description:
        'The time of the request to send the generation again. Null: there was no request, or the tool refused the generation again.',
    }),
  })
  .meta({ id: 'ObservabilityDeadLetter' });

export type DeadLetterRecord = z.output<typeof deadLetter>;

export const destinationDeliveryOperations = defineOperations(common, {
  testObservabilityDestination: {
    route: 'POST /observability/destinations/{id}/test',
    summary: 'Test a destination',
    description:
      'Sends one span of a made-up generation, even to a disabled destination. Returns a 200 with the result, even if the test failed. A webhook receives an empty payload with the header `X-Test-Connection: true` instead. It is signed like every payload, and a 400 passes as well. The test is sent once, is not in the log of deliveries, and changes nothing. `passed` means that the tool accepted the span, not that the tool shows it.',
    params,
    callsOut: true,
    responses: {
      200: {
        description: 'The result. See `passed`.',
        ...answerWith('ObservabilityTestAnswer', testResult, examples.testResult),
      },
    },
    errors: [404],
  },

  listObservabilityDeliveries: {
    route: 'GET /observability/destinations/{id}/deliveries',
    summary: 'List the deliveries of a destination',
    description:
      'Lists the attempts to deliver generations, the newest first. Failed attempts are kept for 7 days; of the successful ones, only the latest hundred are kept. An answer that makes Sluice divide a batch counts as an attempt of its own.',
    params,
    query: z.object(pageQuery),
    responses: {
      200: {
        description: 'One page of attempts.',
        ...pageOf('ObservabilityAttemptList', attempt, examples.attempt),
      },
    },
    errors: [404],
  },

  listObservabilityDeadLetters: {
    route: 'GET /observability/destinations/{id}/dead-letters',
    summary: 'List the dead letters of a destination',
    description:
      'Lists the generations that the tool refused for their content, or that are too old or too large for the tool. The latest dead letter comes first. Dead letters are kept for 7 days. Prompts and answers are not shown.',
    params,
    query: z.object({
      ...pageQuery,
      since: moment.optional().meta({
        description: 'Lists only generations that became dead letters at this time or later.',
      }),
    }),
    responses: {
      200: {
        description: 'One page of dead letters.',
        ...pageOf('ObservabilityDeadLetterList', deadLetter, examples.deadLetter),
      },
    },
    errors: [404],
  },

  replayObservabilityDeadLetters: {
    route: 'POST /observability/destinations/{id}/dead-letters/replay',
    summary: 'Send dead letters again',
    description:
      'Sends the dead letters of a destination again soon, regardless of its current filters. A delivered dead letter is deleted; one that the tool refuses again stays. A disabled destination is a 409: enable it first.',
    params,
    body: {
      schema: z
        .object({
          ids: z.array(z.uuid()).min(1).max(MAX_LETTERS).optional().meta({
            description:
              'The dead letters to send. Unknown ids have no effect. Absent: all dead letters of the destination.',
          }),
          since: moment.optional().meta({
            description: 'Sends only generations that became dead letters at this time or later.',
          }),
        })
        .meta({ id: 'ObservabilityReplay' }),
      optional: true,
      examples: examples.replays,
    },
    responses: {
      202: {
        description: 'The dead letters wait to be sent.',
        schema: z
          .object({
            data: z.object({
              count: count.meta({ description: 'The number of dead letters to be sent again.' }),
            }),
          })
          .meta({ id: 'ObservabilityReplayAnswer' }),
        example: { data: { count: 1 } },
      },
    },
    errors: [404, 409],
  },
});
