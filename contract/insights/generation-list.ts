/** Declares the operation that lists recorded generations, and the shape of its entries. */
import { z } from 'zod';
import { API_TYPES, GENERATION_STATUSES } from '../../domain/ledger/generation.ts';
import { moment } from '../moment.ts';
import { defineOperations } from '../operation.ts';
import { queryInteger, queryNumber } from '../query-values.ts';
import { text } from '../text.ts';

const common = { access: 'read', tag: 'Generations' } as const;

const orNull = (description: string) => z.string().nullable().meta({ description });
const count = (description: string) => z.int().nullable().meta({ description });

const item = z
  .object({
    id: z.string(),
    created_at: z.iso.datetime(),
    workspace_id: z.string(),
    api_key_hash: orNull('The key that sent the request, by its hash.'),
    api_key_name: orNull('The present name of the key.'),
    model: z.string(),
    provider_name: z.string().meta({
      description: 'The provider that answered, or else the last one that was called.',
    }),
    api_type: z.enum(API_TYPES),
    status: z.enum(GENERATION_STATUSES),
    finish_reason: orNull('One of `stop`, `length`, `tool_calls`, `content_filter` and `error`.'),
    usage: z.number().meta({ description: 'US dollars charged to your account.' }),
    total_cost: z.number().meta({
      description: 'US dollars; with your own key at the provider, the amount that the provider charges you.',
    }),
    is_byok: z.boolean(),
    streamed: z.boolean(),
    latency: count('Milliseconds to the first token, or to the whole answer.'),
    generation_time: count('Milliseconds in total.'),
    tokens_prompt: count('Prompt tokens, as the provider counted them.'),
    tokens_completion: count('Completion tokens, as the provider counted them.'),
    native_tokens_reasoning: count('Reasoning tokens, a part of the completion.'),
    native_tokens_cached: count('Prompt tokens that were read from the cache of the provider.'),
    user_id: orNull('The creator of the key.'),
    external_user: orNull('The end user that the request or its key named.'),
    preset_id: orNull('The preset that completed the request.'),
  })
  .meta({ id: 'GenerationListItem' });

export type GenerationListItemBody = z.output<typeof item>;

const MAX_USD = 1_000_000;
const usd = (description: string) => queryNumber({ min: 0, max: MAX_USD }).optional().meta({ description });
const name = (description: string) => text({ min: 1, max: 512 }).optional().meta({ description });

const query = z
  .object({
    limit: queryInteger({ min: 1, max: 100 })
      .default(50)
      .meta({ description: 'The most generations to return.' }),
    cursor: z
      .string()
      .regex(/^gen-\d{1,15}-[0-9A-Za-z]{1,20}$/, 'must be the `next` of an earlier page')
      .optional()
      .meta({ description: 'The `next` of the previous page.' }),
    start: moment.optional().meta({ description: 'Only generations created at or after this moment.' }),
    end: moment.optional().meta({ description: 'Only generations created before this moment.' }),
    workspace_id: z.uuid().optional(),
    api_key_hash: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'must be the hash of a key, 64 hexadecimal digits')
      .optional(),
    model: name('The id, canonical slug or an alias of a model.'),
    provider: name('The slug of a provider.'),
    api_type: z.enum(API_TYPES).optional(),
    status: z.enum(GENERATION_STATUSES).optional(),
    user_id: name('The creator of the key.'),
    external_user: name('The end user that the request or its key named.'),
    session_id: name('The session that the request named.'),
    min_cost: usd('Only generations with at least this `total_cost`, in US dollars.'),
    max_cost: usd('Only generations with at most this `total_cost`, in US dollars.'),
  })
  .refine(({ start, end }) => start === undefined || end === undefined || start < end, {
    path: ['end'],
    message: 'must be after `start`',
  });

export const generationListOperations = defineOperations(common, {
  listGenerations: {
    route: 'GET /generations',
    summary: 'List generations',
    description:
      'Returns generations, the newest first by their creation. A management key sees its organization, other keys their workspace. Unknown names match nothing. The list ends when `next` is null. Few matches among many generations take several pages: a page looks through at most 200,000 generations, or for 300 ms with filters other than workspace, key and model, so that it may have fewer than `limit`, even none, and still a `next`. A generation appears when it ends, which may be after the page with its time was read.',
    query,
    responses: {
      200: {
        description: 'One page.',
        schema: z
          .object({
            data: z.array(item),
            next: z
              .string()
              .nullable()
              .meta({ description: 'The `cursor` of the next page; null if there is none.' }),
            scanned_to: z.iso.datetime().meta({
              description:
                'This page and those before it have all matches that were created after this moment.',
            }),
          })
          .meta({ id: 'GenerationList' }),
        example: {
          data: [
            {
              id: 'gen-1767225600000-abcdefghijklmnopqrst',
              created_at: '2026-01-01T00:00:00.000Z',
              workspace_id: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
              api_key_hash: 'f01d52606dc8f0a8303a7b5cc3fa07109c2e346cec7c0a16b40de462992ce943',
              api_key_name: 'production',
              model: 'local/echo-1',
              provider_name: 'Local upstream',
              api_type: 'completions',
              status: 'completed',
              finish_reason: 'stop',
              usage: 0.000019,
              total_cost: 0.000019,
              is_byok: false,
              streamed: false,
              latency: 31,
              generation_time: 33,
              tokens_prompt: 5,
              tokens_completion: 7,
              native_tokens_reasoning: null,
              native_tokens_cached: null,
              user_id: null,
              external_user: null,
              preset_id: null,
            },
          ],
          next: 'gen-1767225600000-abcdefghijklmnopqrst',
          scanned_to: '2026-01-01T00:00:00.000Z',
        },
      },
    },
    errors: [408],
  },
});
