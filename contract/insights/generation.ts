/** Defines how answers show a recorded generation and its logged content. */
import { z } from 'zod';
import { REGIONS } from '../../domain/catalog/catalog.ts';

const text = (description: string) => z.string().nullable().meta({ description });
const count = (description: string) => z.int().nullable().meta({ description });
const milliseconds = (description: string) => z.number().nullable().meta({ description });

const providerResponse = z
  .object({
    provider_name: z.string().optional(),
    endpoint_id: z.string().optional(),
    status: z.int().nullable().meta({ description: 'The HTTP status; null if the provider did not answer.' }),
    error: z.string().optional().meta({ description: 'The error; absent if the provider answered.' }),
    latency: z.number().optional().meta({ description: 'Milliseconds to the answer, or to its beginning.' }),
    is_byok: z.boolean().optional(),
  })
  .meta({ id: 'ProviderResponse', description: 'One call of a provider.' });

const dollars = (description: string) => z.number().nullable().meta({ description });

const costByKind = z
  .object({
    prompt: dollars('Prompt tokens without a price of their own.'),
    completion: dollars('Completion tokens without a price of their own.'),
    cache_read: dollars('Prompt tokens that were read from a cache.'),
    cache_write: dollars('Prompt tokens that were written to a cache.'),
    reasoning: dollars('Reasoning tokens.'),
    request: dollars('The price of each request.'),
    media: dollars('Pictures, audio and video, in the prompt and in the answer.'),
  })
  .meta({
    id: 'CostByKind',
    description:
      'US dollars by kind. A kind is null if nothing of it was billed apart: its tokens then count to `prompt` or `completion`.',
  });

/** The record of a generation. Features that this deployment lacks, such as web searches, are null. */
export const generation = z
  .object({
    id: z.string(),
    request_id: text('The `x-request-id` of the request.'),
    session_id: text('From the request.'),
    created_at: z.iso.datetime(),
    model: z.string(),
    provider_name: text('The provider that answered, or else the last one that was called.'),
    api_type: z.enum(['completions', 'embeddings', 'rerank', 'image', 'tts', 'video']),
    origin: z.string().meta({ description: "The origin of the app's URL; empty if the request named none." }),
    app_id: count('The id of the app, from `HTTP-Referer` and `X-OpenRouter-Title`.'),
    workspace_id: z.string().nullable(),
    external_user: text('The end user that the request or its key named.'),
    preset_id: text('The preset that completed the request.'),
    usage: z.number().meta({ description: 'US dollars charged to your account.' }),
    total_cost: z.number().meta({
      description: 'US dollars; with your own key at the provider, the amount that the provider charges you.',
    }),
    cost_by_kind: costByKind.nullable().meta({
      description:
        '`total_cost` by kind, in US dollars, at the prices that applied. The kinds add up to `total_cost` exactly. Null if nothing was billed, or if the bill was not kept.',
    }),
    is_byok: z.boolean().meta({ description: 'True if your own key at the provider was used.' }),
    upstream_inference_cost: z.number().nullable().meta({
      description:
        'US dollars that the provider reported; with your own key at the provider, the price of the generation.',
    }),
    cache_discount: z.number().nullable(),
    data_region: z.enum(REGIONS),
    streamed: z.boolean().nullable(),
    cancelled: z
      .boolean()
      .nullable()
      .meta({ description: 'True if the caller disconnected or cancelled the job.' }),
    finish_reason: text('One of `stop`, `length`, `tool_calls`, `content_filter` and `error`.'),
    native_finish_reason: text('The finish reason in the words of the provider.'),
    latency: milliseconds('Milliseconds to the first token, or to the whole answer.'),
    generation_time: milliseconds('Milliseconds in total.'),
    moderation_latency: milliseconds('Always null: nothing is moderated.'),
    tokens_prompt: count('Prompt tokens, as the provider counted them.'),
    tokens_completion: count('Completion tokens, as the provider counted them.'),
    native_tokens_prompt: count('Equals `tokens_prompt`.'),
    native_tokens_completion: count('Equals `tokens_completion`.'),
    native_tokens_reasoning: count('Reasoning tokens, a part of the completion.'),
    native_tokens_cached: count('Prompt tokens that were read from the cache of the provider.'),
    native_tokens_completion_images: count('Image tokens, a part of the completion.'),
    num_media_prompt: count('The number of media in the prompt.'),
    num_media_completion: count('The number of generated media files.'),
    num_input_audio_prompt: z.int().nullable(),
    num_search_results: z.int().nullable(),
    num_fetches: z.int().nullable(),
    web_search_engine: z.string().nullable(),
    router: z.string().nullable(),
    service_tier: text('The service tier that the provider reports.'),
    http_referer: text('From the request.'),
    user_agent: text('From the request.'),
    upstream_id: text("The provider's own id of the answer or job."),
    provider_responses: z
      .array(providerResponse)
      .nullable()
      .meta({ description: 'Every call of a provider, fallbacks included, in order.' }),
  })
  .meta({ id: 'Generation' });

export type GenerationBody = z.output<typeof generation>;

const attempt = z.object({
  code: z.int().meta({ description: 'The HTTP status; 502 if the provider did not answer.' }),
  message: z.string(),
  provider_name: z.string().nullable(),
  raw: z.string().nullable(),
});

const input = z.union([z.object({ prompt: z.string() }), z.object({ messages: z.array(z.unknown()) })]).meta({
  description: 'The prompt without its media: the messages of a conversation, or a text. Lists are JSON.',
});

export const generationContent = z
  .object({
    input,
    output: z.object({
      completion: text(
        'The text of a choice, then a line of JSON for each of its tool calls; all choices follow one another.',
      ),
      reasoning: z.string().nullable(),
    }),
    error: z
      .object({
        message: z.string().nullable(),
        status: z.int().nullable(),
        provider_name: z.string().nullable(),
        previous_errors: z.array(attempt),
        raw: z
          .string()
          .nullable()
          .meta({ description: 'Always null: error bodies of providers are not stored.' }),
      })
      .nullable()
      .meta({ description: 'The error that the caller received; null without an error.' }),
  })
  .meta({ id: 'GenerationContent' });

export type GenerationContentBody = z.output<typeof generationContent>;
