import type { TokenPricing } from './catalog.ts';
import type { TokenUsage } from '../token-usage.ts';
import { type Attos, attosOfTokens, parsePrice, toCost, type TokenCost } from './token-price.ts';

/** Usage that is not counted in tokens. Absent: none. */
export interface MediaUsage {
  /** Generated pictures, and their pixels in millions. */
  outputImages?: number;
  outputMegapixels?: number;
  /** Reference pictures in the request. */
  inputReferences?: number;
  /** Spoken Unicode code points. */
  characters?: number;
  /** Seconds of generated sound. */
  outputSeconds?: number;
  searchUnits?: number;
}

type PriceOf = Partial<Record<keyof MediaUsage, keyof TokenPricing>>;

const PRICE_OF_GIVEN: PriceOf = {
  inputReferences: 'inputReference',
  characters: 'character',
  searchUnits: 'searchUnit',
};
const PRICE_OF_MADE: PriceOf = {
  outputImages: 'outputImage',
  outputMegapixels: 'outputMegapixel',
  outputSeconds: 'outputSecond',
};

/** The precision of fractional amounts, such as megapixels and seconds. */
const PARTS = 1_000_000;

/** Returns the cost of a call: tokens, request, pictures in the prompt, and media. The sum is rounded half up, once. */
export function costOfMedia(
  pricing: TokenPricing,
  tokens: TokenUsage,
  media: MediaUsage,
  images = 0,
): TokenCost {
  const { prompt, completion } = attosOfTokens(pricing, tokens, images);
  const { prompt: given, completion: made } = attosOfMedia(pricing, media);
  return toCost({ prompt: prompt + given, completion: completion + made });
}

/** Returns the unrounded cost of the media: of those in the request, and of those generated. */
export function attosOfMedia(pricing: TokenPricing, media: MediaUsage): Attos {
  return {
    prompt: attosOf(PRICE_OF_GIVEN, pricing, media),
    completion: attosOf(PRICE_OF_MADE, pricing, media),
  };
}

function attosOf(prices: PriceOf, pricing: TokenPricing, media: MediaUsage): bigint {
  let attos = 0n;
  for (const [name, price] of Object.entries(prices) as [keyof MediaUsage, keyof TokenPricing][]) {
    const amount = media[name];
    const decimal = pricing[price];
    if (amount === undefined || decimal === undefined) continue;
    attos += (parsePrice(decimal) * BigInt(Math.round(amount * PARTS))) / BigInt(PARTS);
  }
  return attos;
}
