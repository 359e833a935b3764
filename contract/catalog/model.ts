/** Declares the shapes of models, endpoints and providers in answers. */
import { z } from 'zod';
import { REASONING_EFFORTS } from '../../domain/catalog/model-facts.ts';
import { modelPricing } from './pricing.ts';

const architecture = z
  .object({
    modality: z.string().meta({ description: 'For example `text+image->text`.' }),
    input_modalities: z.array(z.string()),
    output_modalities: z.array(z.string()),
    tokenizer: z.string().meta({ description: '`Other` if unknown.' }),
    instruct_type: z.string().nullable(),
  })
  .meta({ id: 'ModelArchitecture' });

const parameter = z.number().nullable().optional();

const defaultParameters = z.object({
  temperature: parameter,
  top_p: parameter,
  top_k: z.int().nullable().optional(),
  frequency_penalty: parameter,
  presence_penalty: parameter,
  repetition_penalty: parameter,
});

const effort = z.enum(REASONING_EFFORTS);

const reasoning = z
  .object({
    mandatory: z.boolean(),
    default_enabled: z.boolean().optional(),
    default_effort: effort.nullable().optional(),
    supported_efforts: z.array(effort).nullable().optional(),
    supports_max_tokens: z.boolean().optional(),
  })
  .meta({ id: 'ModelReasoning' });

const index = z.number().nullable();

const benchmarks = z
  .object({
    artificial_analysis: z
      .object({ intelligence_index: index, coding_index: index, agentic_index: index })
      .optional(),
    design_arena: z.array(
      z.object({
        arena: z.string(),
        category: z.string(),
        elo: z.number(),
        rank: z.int(),
        win_rate: z.number(),
      }),
    ),
  })
  .meta({
    id: 'ModelBenchmarks',
    description: 'Benchmarks that the operator imported; the gateway measures none of them.',
  });

export const model = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    owned_by: z.string().meta({ description: 'The author of the model.' }),
    canonical_slug: z.string().meta({ description: 'The name in usage and rankings. It never changes.' }),
    name: z.string(),
    description: z.string(),
    created: z.int().meta({ description: 'Unix seconds.' }),
    context_length: z.int().nullable(),
    architecture,
    pricing: modelPricing,
    top_provider: z.object({
      context_length: z.int().nullable(),
      max_completion_tokens: z.int().nullable(),
      is_moderated: z.boolean(),
    }),
    per_request_limits: z
      .object({ prompt_tokens: z.number(), completion_tokens: z.number() })
      .nullable()
      .meta({ description: 'Always null: there are none.' }),
    supported_parameters: z
      .array(z.string())
      .meta({ description: 'All parameters that any endpoint of the model supports.' }),
    supported_voices: z.array(z.string()).nullable(),
    default_parameters: defaultParameters.nullable(),
    hugging_face_id: z.string().nullable(),
    knowledge_cutoff: z.string().nullable().meta({ description: '`YYYY-MM-DD`.' }),
    expiration_date: z.string().nullable().meta({ description: 'The model may be removed after this day.' }),
    links: z.object({ details: z.string().meta({ description: 'The path of the list of its endpoints.' }) }),
    reasoning: reasoning.optional(),
    benchmarks: benchmarks.optional(),
  })
  .meta({ id: 'Model' });

export type ModelRecord = z.output<typeof model>;

export const modelList = z
  .object({
    object: z.literal('list'),
    data: z.array(model),
    links: z.object({
      next: z.string().nullable().meta({ description: 'The path of the next page; null on the last page.' }),
    }),
    total_count: z.int().meta({ description: 'The number of matching models.' }),
  })
  .meta({ id: 'ModelList' });

const percentiles = z
  .object({ p50: z.number(), p75: z.number(), p90: z.number(), p99: z.number() })
  .nullable();
const uptime = z
  .number()
  .nullable()
  .meta({ description: 'Percent of the calls that the endpoint answered; null if there were none.' });

export const modelEndpoint = z
  .object({
    name: z.string(),
    model_id: z.string(),
    model_name: z.string(),
    provider_name: z.string(),
    tag: z.string().meta({ description: 'Provider, region and quantization.' }),
    context_length: z.int().meta({ description: '0 if unknown.' }),
    max_prompt_tokens: z.int().nullable(),
    max_completion_tokens: z.int().nullable(),
    pricing: modelPricing,
    quantization: z.string().nullable(),
    supported_parameters: z.array(z.string()),
    supports_implicit_caching: z.boolean(),
    supports_tool_choice: z.object({
      auto: z.boolean(),
      function: z.boolean(),
      none: z.boolean(),
      required: z.boolean(),
    }),
    supports_voice_cloning: z.boolean(),
    supports_diarization: z
      .boolean()
      .meta({ description: 'Always false: the gateway has no transcription.' }),
    native_tools: z.record(z.string(), z.object({})).meta({
      description:
        'The hosted tools that requests may use. Always empty: the gateway passes none to the provider.',
    }),
    service_tier: z.string().nullable().meta({
      description:
        'Always null: an endpoint is not one of a tier. `service_tier` is a field of requests, and `pricing.overrides` has prices of tiers.',
    }),
    latency_last_30m: percentiles.meta({
      description: 'Milliseconds to the first token, or to the answer if it comes as a whole.',
    }),
    throughput_last_30m: percentiles.meta({ description: 'Completion tokens a second.' }),
    uptime_last_5m: uptime,
    uptime_last_30m: uptime,
    uptime_last_1d: uptime,
  })
  .meta({ id: 'ModelEndpoint' });

export type ModelEndpointRecord = z.output<typeof modelEndpoint>;

export const modelEndpoints = z
  .object({
    data: z.object({
      id: z.string(),
      name: z.string(),
      created: z.int(),
      description: z.string(),
      architecture,
      endpoints: z.array(modelEndpoint),
    }),
  })
  .meta({ id: 'ModelEndpoints' });

export const provider = z
  .object({
    name: z.string(),
    slug: z.string(),
    privacy_policy_url: z.string().nullable(),
    terms_of_service_url: z.string().nullable(),
    status_page_url: z.string().nullable(),
    headquarters: z.string().nullable().meta({ description: 'ISO 3166-1 alpha-2.' }),
    datacenters: z.array(z.string()).nullable(),
  })
  .meta({ id: 'Provider' });

export type ProviderRecord = z.output<typeof provider>;
