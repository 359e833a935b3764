/** Declares the operation that returns the organization's daily usage, and the shape of its entries. */
import { z } from 'zod';
import { defineOperations } from '../operation.ts';

const common = { access: 'management', tag: 'Analytics' } as const;

const item = z
  .object({
    date: z.iso.date().meta({ description: 'The UTC day on which the usage was settled.' }),
    model: z.string(),
    model_permaslug: z.string(),
    endpoint_id: z.string().meta({
      description: 'The catalog endpoint for this model at this provider; the first if there are several.',
    }),
    provider_name: z.string(),
    usage: z.number().meta({ description: 'Dollars charged.' }),
    byok_usage_inference: z
      .number()
      .meta({ description: 'Dollars that the customer paid directly to the provider.' }),
    requests: z.int(),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    reasoning_tokens: z.int(),
    cached_tokens: z.int().meta({ description: 'Prompt tokens that came from the cache of the provider.' }),
    workspace_id: z.uuid().optional().meta({ description: 'Present with `group_by=workspace`.' }),
  })
  .meta({ id: 'ActivityItem' });

export const activityOperations = defineOperations(common, {
  listActivity: {
    route: 'GET /activity',
    summary: 'List the activity of the last 30 days',
    description:
      "Returns the organization's usage on each of the last 30 completed UTC days, by model and provider, the newest day first. Unknown ids match nothing. A result of more than 20,000 rows is a 400: narrow the query. A query with `user_id` reads single generations, which may take minutes for many millions; `date` reduces the work to a thirtieth.",
    query: z.object({
      date: z.iso
        .date('must be a day, YYYY-MM-DD')
        .optional()
        .meta({ description: 'One of the last 30 completed UTC days.' }),
      api_key_hash: z
        .string()
        .regex(/^[0-9a-fA-F]{64}$/, 'must be the hash of a key, 64 hexadecimal digits')
        .optional(),
      user_id: z
        .string()
        .max(64)
        .regex(/^user_[0-9A-Za-z]+$/, 'must be the id of a user, user_<id>')
        .optional()
        .meta({ description: 'The creator of the keys.' }),
      workspace_id: z.uuid().optional(),
      group_by: z.enum(['workspace']).optional(),
    }),
    responses: {
      200: {
        description: 'The days.',
        schema: z.object({ data: z.array(item) }).meta({ id: 'ActivityList' }),
        example: {
          data: [
            {
              date: '2026-01-31',
              model: 'local/echo-1',
              model_permaslug: 'local/echo-1',
              endpoint_id: 'local/echo-1:local',
              provider_name: 'Local upstream',
              usage: 1.25,
              byok_usage_inference: 0,
              requests: 312,
              prompt_tokens: 12_000,
              completion_tokens: 34_000,
              reasoning_tokens: 0,
              cached_tokens: 2_400,
            },
          ],
        },
      },
    },
    errors: [408],
  },
});

export type ActivityItemBody = z.output<typeof item>;
