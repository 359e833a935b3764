/** Translates the options of a chat request to Anthropic's dialect, and reports options that would be lost. */
import type { UnsupportedFields } from '../../../domain/unsupported-fields.ts';
import { type Fields, withoutUndefined } from '../../../domain/fields.ts';
import { isStandardTier } from '../../../domain/live/service-tier.ts';
import { otherFields, RARE_FIELDS, READ_FIELDS } from '../chat-fields.ts';
import { type ThinkingFacts, toThinkingOptions } from './thinking-options.ts';

/** Fields of a chat without a counterpart in Anthropic's dialect, each with the value that changes nothing. */
const LACKING: Readonly<Record<string, unknown>> = {
  ...RARE_FIELDS,
  n: 1,
  frequency_penalty: 0,
  presence_penalty: 0,
  // Other values of these fields have prices that the catalog does not have.
  speed: 'standard',
  inference_geo: 'global',
  seed: undefined,
  prediction: undefined,
  metadata: undefined,
  prompt_cache_key: undefined,
  prompt_cache_options: undefined,
  prompt_cache_retention: undefined,
  safety_identifier: undefined,
  image_config: undefined,
};
const READ = new Set(READ_FIELDS);

/** Translates everything but the conversation and its tools. Unknown fields pass unchanged. */
export function toMessagesOptions(
  request: Fields,
  unsupported: UnsupportedFields,
  facts?: ThinkingFacts,
): Fields {
  const options = otherFields(request, { read: READ, lacking: LACKING }, unsupported);
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
