/** Declares the operation that tries a callback URL, and the shape of its result. */
import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { httpUrl } from '../text.ts';
import { workspaceParams } from './workspaces.ts';

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

export const testWebhook = defineOperation({
  id: 'testWebhook',
  method: 'post',
  path: '/workspaces/{id}/webhook/test',
  access: 'management',
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
    limit: 'default',
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
      schema: z.object({ data: result }).meta({ id: 'WebhookTestAnswer' }),
      example: {
        data: {
          url: 'https://app.example.com/hooks/next',
          passed: false,
          status_code: 401,
          reason: 'the receiver answered 401',
          response_excerpt: 'bad signature',
        },
      },
    },
  },
  errors: [404],
});
