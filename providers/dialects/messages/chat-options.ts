/** Translates the options of a chat request to Anthropic's dialect, and reports options that would be lost. */
import { type UnsupportedFields, hasContent } from '../../../domain/unsupported-fields.ts';
import { type Fields, withoutUndefined } from '../../../domain/fields.ts';
import { isStandardTier } from '../../../domain/live/service-tier.ts';
import { type ThinkingFacts, toThinkingOptions } from './thinking-options.ts';

/** Fields without a counterpart, each with the value that equals Anthropic's default and so may be dropped. */
const WITHOUT_EFFECT: Readonly<Record<string, unknown>> = {
  n: 1,
  logprobs: false,
  top_logprobs: 0,
  frequency_penalty: 0,
  presence_penalty: 0,
  repetition_penalty: 1,
  min_p: 0,
  top_a: 0,
  store: false,
  verbosity: 'medium',
  // Other values of these fields have prices that the catalog does not have.
  speed: 'standard',
  inference_geo: 'global',
};

/** Fields of a chat request without a counterpart in Anthropic's dialect. */
const WITHOUT_COUNTERPART = new Set([
  ...Object.keys(WITHOUT_EFFECT),
  'seed',
  'logit_bias',
  'prediction',
  'audio',
  'functions',
  'function_call',
  'metadata',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'web_search_options',
  'image_config',
]);

/** Fields that other code translates. */
const TRANSLATED_SEPARATELY = new Set([
  'messages',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'stop',
  'temperature',
  'modalities',
  'reasoning',
  'reasoning_effort',
  'response_format',
  'service_tier',
]);

/** Translates everything but the conversation and its tools. Unknown fields pass unchanged. */
export function toMessagesOptions(
  request: Fields,
  unsupported: UnsupportedFields,
  facts?: ThinkingFacts,
): Fields {
  const options: Fields = {};
  for (const name in request) {
    const value = request[name];
    if (TRANSLATED_SEPARATELY.has(name) || value === null) continue;
    if (!WITHOUT_COUNTERPART.has(name)) options[name] = value;
    else if (hasContent(value) && value !== WITHOUT_EFFECT[name]) unsupported.add(`body.${name}`);
  }
  const { max_tokens, max_completion_tokens, stop, temperature, modalities } = request;
  if (Array.isArray(modalities) && modalities.some((kind) => kind !== 'text'))
    unsupported.add('body.modalities');
  if (typeof temperature === 'number' && temperature > 1)
    unsupported.add('body.temperature', 'must be at most 1 for the provider of this model');
  const stops = [stop ?? []].flat();
  const translated = withoutUndefined({
    max_tokens: max_completion_tokens ?? max_tokens ?? undefined,
    temperature: temperature ?? undefined,
    stop_sequences: stops.length === 0 ? undefined : stops,
    service_tier: toServiceTier(request['service_tier']),
    ...toThinkingOptions(request, unsupported, facts),
  });
  // Options that the caller gave in Anthropic's own names override the translated fields.
  return { ...translated, ...options };
}

/** Returns the tier under Anthropic's name. Tiers of other vendors pass, where an endpoint has prices for them. */
function toServiceTier(tier: unknown): string | undefined {
  if (typeof tier !== 'string' || tier === 'auto') return tier === 'auto' ? tier : undefined;
  return isStandardTier(tier) ? 'standard_only' : tier;
}
