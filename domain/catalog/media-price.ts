/** Computes the cost of pictures, sound and other usage that is not counted in tokens. */
import type { TokenPrices } from './token-pricing.ts';
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
  /** The vendor's own units. */
  billableUnits?: number;
}

type PriceOf = Partial<Record<keyof MediaUsage, keyof TokenPrices>>;

const INPUT_PRICE: PriceOf = {
  inputReferences: 'inputReference',
  characters: 'character',
  searchUnits: 'searchUnit',
};
const OUTPUT_PRICE: PriceOf = {
  outputImages: 'outputImage',
  outputMegapixels: 'outputMegapixel',
  outputSeconds: 'outputSecond',
  billableUnits: 'billableUnit',
};

/** The precision of fractional amounts, such as megapixels and seconds. */
const PARTS = 1_000_000;

/** Returns the cost of a call: tokens, request, pictures in the prompt, and media. The sum is rounded half up, once. */
export function costOfMedia(
  pricing: TokenPrices,
  tokens: TokenUsage,
  media: MediaUsage,
  images = 0,
): TokenCost {
  const { prompt, completion } = attosOfTokens(pricing, tokens, images);
  const { prompt: input, completion: output } = attosOfMedia(pricing, media);
  return toCost({ prompt: prompt + input, completion: completion + output });
}

/** Returns the unrounded cost of the media in the request (`prompt`) and of the generated media (`completion`). */
export function attosOfMedia(pricing: TokenPrices, media: MediaUsage): Attos {
  return {
    prompt: attosOf(INPUT_PRICE, pricing, media),
    completion: attosOf(OUTPUT_PRICE, pricing, media),
  };
}

function attosOf(prices: PriceOf, pricing: TokenPrices, media: MediaUsage): bigint {
  let attos = 0n;
  for (const [name, price] of Object.entries(prices) as [keyof MediaUsage, keyof TokenPrices][]) {
    const amount = media[name];
    const decimal = pricing[price];
    if (amount === undefined || decimal === undefined) continue;
    attos += (parsePrice(decimal) * BigInt(Math.round(amount * PARTS))) / BigInt(PARTS);
  }
  return attos;
}
