import type { TokenPricing } from './catalog.ts';
import type { TokenUsage } from '../token-usage.ts';
import { type Attos, attosOfTokens, parsePrice, toCost, type TokenCost } from './token-price.ts';

/** What was given or made that is not counted in tokens. Absent: none. */
export interface MediaUsage {
  /** Pictures that were made, and their pixels in millions. */
  outputImages?: number;
  outputMegapixels?: number;
  /** Pictures that were given along. */
  inputReferences?: number;
  /** Unicode code points that were spoken. */
  characters?: number;
  /** Of sound that was made. */
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

/** Amounts are good to a millionth: pixels and seconds are no whole numbers. */
const PARTS = 1_000_000;

/**
 * What an answer costs at an endpoint's prices: its tokens, its request, pictures in its prompt, and its media. All of it
 * is rounded half up, once.
 */
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

/** Returns what the media cost before it is rounded: those that were given, and those that were made. */
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
