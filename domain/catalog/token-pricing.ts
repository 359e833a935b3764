/** Declares the prices of an endpoint, and the conditions under which others replace them. */
import type { Modality } from '../modality.ts';

/** Decimal dollars per token, or per request, under the names of the public catalog. An absent price is zero. */
export interface TokenPrices {
  prompt: string;
  completion: string;
  request?: string;
  /** Per image in the prompt. */
  image?: string;
  /** Per token of a picture in the prompt; the prompt's price if absent. */
  imageInput?: string;
  /** Per token of a video in the prompt; the prompt's price if absent. */
  videoInput?: string;
  /** Per audio token of the prompt and of the completion; the price of text if absent. */
  audio?: string;
  audioOutput?: string;
  /** Per token of a generated picture; the completion's price if absent. */
  imageOutput?: string;
  /** Per generated picture, and per megapixel of it. */
  outputImage?: string;
  outputMegapixel?: string;
  /** Per reference picture. */
  inputReference?: string;
  /** Per spoken character, and per second of sound. */
  character?: string;
  outputSecond?: string;
  /** Per search unit, as the vendor counts them. */
  searchUnit?: string;
  /** Per unit of the vendor's own, which its answer reports, such as fal's billable units. */
  billableUnit?: string;
  inputCacheRead?: string;
  /** Per audio token read from the cache; `inputCacheRead` if absent. */
  inputAudioCache?: string;
  inputCacheWrite?: string;
  /** Per token written to the cache for an hour; `inputCacheWrite` if absent. */
  inputCacheWriteHour?: string;
  internalReasoning?: string;
}

/** The prices of an endpoint. */
export interface TokenPricing extends TokenPrices {
  /** Prices of generated pictures by size and quality, in place of `outputImage`; see `picture-price.ts`. */
  outputImages?: Record<string, string> | undefined;
  /** Prices that replace those above under conditions; see `price-conditions.ts`. */
  overrides?: PriceOverride[] | undefined;
}

/** The names of `Date.getUTCDay()`, in its order. */
export const WEEKDAYS = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const;

/** An entry applies if all its conditions hold. */
export interface PriceConditions {
  /** The whole prompt, cached tokens included, is longer than this many tokens. */
  minPromptTokens?: number;
  /** A daily window of UTC, as numbers HHMM: from `utcStart` until before `utcEnd`, which may be on the next day. */
  utcStart?: number;
  utcEnd?: number;
  /** The days of UTC on which the entry applies; every day if absent. */
  utcDays?: (typeof WEEKDAYS)[number][];
  /** The moment of the request that decides about window and days; its start if absent. */
  utcMoment?: 'start' | 'end';
  /** The tier of service that is billed. */
  serviceTier?: string;
  /** The prompt has something of this kind. */
  inputModality?: Modality;
  /** The answer may have something of this kind. */
  outputModality?: Modality;
  /** The first instant of the price, in ISO 8601. A request is billed by the prices at its start. */
  validFrom?: string;
}

/** Prices that replace others under conditions. */
export type PriceOverride = PriceConditions & Partial<TokenPrices>;

/** The most entries that an endpoint can have. */
export const MAX_OVERRIDES = 24;

/** The prices that stand in place of absent ones. Other absent prices are zero. */
export const PRICE_INSTEAD: Partial<Record<keyof TokenPrices, keyof TokenPrices>> = {
  imageInput: 'prompt',
  videoInput: 'prompt',
  audio: 'prompt',
  inputCacheRead: 'prompt',
  inputAudioCache: 'inputCacheRead',
  inputCacheWrite: 'prompt',
  inputCacheWriteHour: 'inputCacheWrite',
  audioOutput: 'completion',
  imageOutput: 'completion',
  internalReasoning: 'completion',
};

/** The names of all prices, each after the one that stands in its place. */
export const PRICE_NAMES: readonly (keyof TokenPrices)[] = [
  'prompt',
  'completion',
  'request',
  'image',
  'outputImage',
  'outputMegapixel',
  'inputReference',
  'character',
  'outputSecond',
  'searchUnit',
  'billableUnit',
  ...(Object.keys(PRICE_INSTEAD) as (keyof TokenPrices)[]),
];
