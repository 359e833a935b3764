/** Presents the prices of tokens. */
import type {
  ModelPricingRecord,
  PriceConditionsRecord,
  PricingOverrideRecord,
} from '../../contract/catalog/pricing.ts';
import type {
  PriceConditions,
  PriceOverride,
  TokenPrices,
  TokenPricing,
} from '../../domain/catalog/token-pricing.ts';

export function presentModelPricing(pricing: TokenPricing): ModelPricingRecord {
  return {
    prompt: pricing.prompt,
    completion: pricing.completion,
    request: pricing.request ?? pricing.searchUnit ?? '0',
    image: pricing.image ?? '0',
    ...presentParts(pricing),
    overrides: pricing.overrides?.map(presentOverride),
  };
}

export function presentOverride(entry: PriceOverride): PricingOverrideRecord {
  return {
    ...presentConditions(entry),
    prompt: entry.prompt,
    completion: entry.completion,
    request: entry.request ?? entry.searchUnit,
    image: entry.image,
    ...presentParts(entry),
  };
}

export function presentConditions(entry: PriceConditions): PriceConditionsRecord {
  return {
    min_prompt_tokens: entry.minPromptTokens,
    utc_start: entry.utcStart,
    utc_end: entry.utcEnd,
    utc_days: entry.utcDays,
    utc_moment: entry.utcMoment,
    service_tier: entry.serviceTier,
    input_modality: entry.inputModality,
    output_modality: entry.outputModality,
    valid_from: entry.validFrom,
  };
}

/** Returns the prices of the parts of prompt and completion that may have one of their own. */
function presentParts(prices: Partial<TokenPrices>) {
  return {
    image_token: prices.imageInput,
    video_token: prices.videoInput,
    image_output: prices.imageOutput,
    character: prices.character,
    output_second: prices.outputSecond,
    audio: prices.audio,
    audio_output: prices.audioOutput,
    input_cache_read: prices.inputCacheRead,
    input_audio_cache: prices.inputAudioCache,
    input_cache_write: prices.inputCacheWrite,
    input_cache_write_1h: prices.inputCacheWriteHour,
    internal_reasoning: prices.internalReasoning,
  };
}
