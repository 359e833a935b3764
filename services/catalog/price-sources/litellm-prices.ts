/**
 * Reads prices from the keys of LiteLLM's map, such as `input_cost_per_token_above_272k_tokens_flex`: a price, the
 * length of the prompt above which it holds, and the service tier.
 */
import type { PriceOverride, TokenPrices } from '../../../domain/catalog/token-pricing.ts';
import { type Fields, isFields } from '../../../domain/fields.ts';
import { byPrecedence } from './entry-order.ts';
import { exactPrice } from './exact-price.ts';
import { offPeakConditions } from './off-peak.ts';
import type { SourcePricing } from './source-model.ts';

const TOKEN_PRICES: Record<string, keyof TokenPrices> = {
  input_cost_per_token: 'prompt',
  output_cost_per_token: 'completion',
  cache_read_input_token_cost: 'inputCacheRead',
  cache_creation_input_token_cost: 'inputCacheWrite',
  cache_creation_input_token_cost_above_1hr: 'inputCacheWriteHour',
  input_cost_per_audio_token: 'audio',
  output_cost_per_audio_token: 'audioOutput',
  cache_read_input_audio_token_cost: 'inputAudioCache',
  input_cost_per_image_token: 'imageInput',
  input_cost_per_video_token: 'videoInput',
  output_cost_per_image_token: 'imageOutput',
  output_cost_per_reasoning_token: 'internalReasoning',
  input_cost_per_request: 'request',
};

/** Prices that mean something only for models of this mode. */
const MODE_PRICES: Record<string, Record<string, keyof TokenPrices>> = {
  audio_speech: { input_cost_per_character: 'character', output_cost_per_second: 'outputSecond' },
  rerank: { input_cost_per_query: 'searchUnit' },
  image_generation: { output_cost_per_image: 'outputImage' },
};

const KEY = /^(.+?)(?:_above_(\d{1,7})k_tokens)?(?:_(flex|priority))?$/;
/** Matches bills for batches and for tools that a vendor hosts, which no request of the gateway is charged. */
const OTHER_BILLS = /_batches$|^(search_|web_search_|code_|file_|computer_|vector_|google_maps_)/;

/** Prices that are left out if they equal another: they follow it, also in entries that have none for them. */
const SAME_PRICES = [
  ['internalReasoning', 'completion'],
  ['audioOutput', 'completion'],
  ['audio', 'prompt'],
] as const;

/** Returns the prices of a model in LiteLLM's map, and the keys of prices that a catalog cannot hold. */
export function readLitellmPrices(
  model: Fields,
  place: string,
): { pricing: SourcePricing; unread: string[] } {
  const pricing: SourcePricing = { overrides: [] };
  const entries = new Map<string, PriceOverride>();
  const unread: string[] = [];
  const ofMode = MODE_PRICES[String(model['mode'])] ?? {};
  for (const [key, value] of Object.entries(model)) {
    const [, base = '', thousands, serviceTier] = KEY.exec(key) ?? [];
    const name = Object.hasOwn(TOKEN_PRICES, base)
      ? TOKEN_PRICES[base]
      : Object.hasOwn(ofMode, base)
        ? ofMode[base]
        : undefined;
    if (name === undefined) {
      if (/cost|pricing/.test(key) && !OTHER_BILLS.test(key)) unread.push(key);
      continue;
    }
    if (value === null) continue;
    const price = exactPrice(value, 0, `${place}.${key}`);
    if (thousands === undefined && serviceTier === undefined) {
      pricing[name] = price;
      continue;
    }
    const at = `${thousands ?? ''} ${serviceTier ?? ''}`;
    const minPromptTokens = Number(thousands) * 1000;
    const conditions = { ...(thousands && { minPromptTokens }), ...(serviceTier && { serviceTier }) };
    entries.set(at, { ...(entries.get(at) ?? conditions), [name]: price });
  }
  const offPeak = readOffPeak(model['off_peak_pricing'], `${place}.off_peak_pricing`);
  if (offPeak !== undefined) unread.splice(unread.indexOf('off_peak_pricing'), 1);
  for (const [name, instead] of SAME_PRICES) if (pricing[name] === pricing[instead]) delete pricing[name];
  pricing.overrides = [...entries.values(), ...(offPeak ?? [])].toSorted(byPrecedence);
  return { pricing: countPictures(pricing), unread };
}

/** Returns the prices of the windows of a model; undefined if it has none, or some that a catalog cannot hold. */
function readOffPeak(value: unknown, place: string): PriceOverride[] | undefined {
  const conditions = offPeakConditions(value);
  if (conditions === undefined || !isFields(value)) return undefined;
  const prices = Object.entries(value).flatMap(([key, price]) => {
    const name = Object.hasOwn(TOKEN_PRICES, key) ? TOKEN_PRICES[key] : undefined;
    return name === undefined ? [] : [[name, exactPrice(price, 0, `${place}.${key}`)] as const];
  });
  const known = new Set([...Object.keys(TOKEN_PRICES), 'windows', 'weekday_timezone']);
  const isWhole = prices.length > 0 && Object.keys(value).every((key) => known.has(key));
  return isWhole ? conditions.map((each) => ({ ...each, ...Object.fromEntries(prices) })) : undefined;
}

/** A model that only makes pictures has one price of output: all of its tokens are those of pictures. */
function countPictures(pricing: SourcePricing): SourcePricing {
  const { imageOutput, ...others } = pricing;
  return pricing.completion === undefined && imageOutput !== undefined
    ? { ...others, completion: imageOutput }
    : pricing;
}
