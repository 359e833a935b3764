/** Declares the operations that rotate the webhook secret of a workspace, try a callback URL and replay deliveries. */
import { z } from 'zod';
import { MAX_REPLAYED } from '../../domain/webhooks/webhook-delivery.ts';
import { answerWith } from '../answers.ts';
import { REPLAY_HEADER } from '../headers.ts';
import { moment } from '../moment.ts';
import { defineOperations } from '../operation.ts';
import { httpUrl } from '../text.ts';
import { workspaceParams } from './workspaces.ts';

const common = { access: 'management' } as const;

const result = z
  .object({
    url: z.string().meta({ description: 'The URL to which the event was sent.' }),
    passed: z.boolean().meta({ description: 'True if the receiver answered with a 2xx in time.' }),
    status_code: z
      .int()
      .nullable()
      .meta({ description: 'Null: there was no answer, or no request was sent.' }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'The reason why the test did not pass; null if it passed.' }),
    response_excerpt: z.string().nullable().meta({ description: 'Up to 1 KiB of the answer.' }),
  })
  .meta({ id: 'WebhookTestResult' });

export type WebhookTestRecord = z.output<typeof result>;

export const workspaceWebhookOperations = defineOperations(common, {
  rotateWebhookSecret: {
    route: 'POST /workspaces/{id}/webhook-secret/rotate',
    tag: 'Workspaces',
    summary: 'Rotate the webhook secret of a workspace',
    description:
      'Creates a new secret. No later response shows it. The previous secret signs too for 24 hours, unless another rotation follows within that time: only the two latest secrets sign. Send an `Idempotency-Key`, so that a repeated request returns the same secret instead of creating another.',
    params: workspaceParams,
    idempotent: true,
    responses: {
      200: {
        description: 'The new secret.',
        schema: z
          .object({
            data: z.object({
              secret: z.string().meta({ description: 'The secret in the format of Standard Webhooks.' }),
              previous_secret_expires_at: z.iso.datetime().nullable().meta({
                description: 'The time until which the previous secret signs too; null if there was none.',
              }),
            }),
          })
          .meta({ id: 'RotatedWebhookSecret' }),
        headers: REPLAY_HEADER,
        example: {
          data: {
            secret: 'whsec_c2hvd24gb25jZSwgdGhlbiBvbmx5IHNpZ25zIHdpdGg=',
            previous_secret_expires_at: '2026-01-02T00:00:00.000Z',
          },
        },
      },
    },
    errors: [404],
  },

  testWebhook: {
    route: 'POST /workspaces/{id}/webhook/test',
    tag: 'Webhooks',
    summary: 'Try a callback URL',
    description:
      'Sends one `webhook.test` event, signed like all events of the workspace, and returns the result, even if the receiver does not answer. The event is sent once, regardless of `webhook_event_types`. A 400 means that there is no URL, or that the gateway never calls such a URL.',
    params: workspaceParams,
    body: {
      schema: z
        .object({
          url: httpUrl({ max: 2048 }).optional().meta({
            description: 'Receives the event. Absent: the `default_callback_url` of the workspace.',
          }),
        })
        .meta({ id: 'WebhookTest' }),
      optional: true,
      examples: {
        default: { summary: 'The default callback URL of the workspace', value: {} },
        other: { summary: 'Another URL', value: { url: 'https://app.example.com/hooks/next' } },
      },
    },
    callsOut: true,
    responses: {
      200: {
        description: 'The result. See `passed`.',
        ...answerWith('WebhookTestAnswer', result, {
          url: 'https://app.example.com/hooks/next',
          passed: false,
          status_code: 401,
          reason: 'the receiver answered 401',
          response_excerpt: 'bad signature',
        }),
      },
    },
    errors: [404],
  },

  replayWebhooks: {
    route: 'POST /workspaces/{id}/webhook/replay',
    tag: 'Webhooks',
    summary: 'Replay the webhooks of a workspace',
    description: `Sends the deliveries of the workspace since a moment again, as \`POST /webhooks/deliveries/{id}/replay\` sends one. Takes the failed ones, or all that have ended. Up to ${MAX_REPLAYED} deliveries, the oldest first: \`next_since\` says where to continue. They become \`pending\` at once and are sent within minutes. Send an \`Idempotency-Key\`, so that a repeated request replays nothing twice.`,
    params: workspaceParams,
    idempotent: true,
    body: {
      schema: z
        .object({
          since: moment.meta({ description: 'Only deliveries of events written at this time or later.' }),
          until: moment
            .optional()
            .meta({ description: 'Only deliveries of events written before this time. Absent: until now.' }),
          status: z.enum(['failed', 'ended']).optional().meta({
            description:
              '`failed`, the default: deliveries that are `exhausted` or `stopped`. `ended`: also `delivered` ones, for a receiver that lost what it had accepted.',
          }),
        })
        .meta({ id: 'WebhookReplay' }),
      examples: {
        failed: { summary: 'All that failed since a moment', value: { since: '2026-01-01T00:00:00Z' } },
      },
    },
    responses: {
      202: {
        description: 'The deliveries are pending again.',
        headers: REPLAY_HEADER,
        schema: z
          .object({
            data: z.object({
              count: z.int().min(0).meta({ description: 'The number of deliveries to be sent again.' }),
              next_since: z.iso
                .datetime()
                .nullable()
                .meta({ description: 'The `since` of a request for the rest; null: nothing is left.' }),
            }),
          })
          .meta({ id: 'WebhookReplayAnswer' }),
        example: { data: { count: 37, next_since: null } },
      },
    },
    errors: [404],
  },
});

export type RotatedWebhookSecret = z.output<
  (typeof workspaceWebhookOperations.rotateWebhookSecret.responses)[200]['schema']
>;
export type WebhookReplayBody = z.output<
  (typeof workspaceWebhookOperations.replayWebhooks.responses)[202]['schema']
>;
