import type { TokenPricing } from './catalog.ts';
import type { Nanos } from './money.ts';
import { parsePrice, toNanos } from './token-price.ts';

/** What was made or used that is not counted in tokens. Absent: none. */
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

const PRICE_OF = {
  outputImages: 'outputImage',
  outputMegapixels: 'outputMegapixel',
  inputReferences: 'inputReference',
  characters: 'character',
  outputSeconds: 'outputSecond',
  searchUnits: 'searchUnit',
} as const satisfies Record<keyof MediaUsage, keyof TokenPricing>;

/** Amounts are good to a millionth: pixels and seconds are no whole numbers. */
const PARTS = 1_000_000;

/** What it costs at an endpoint's prices, beside its tokens and its price per request; rounded half up, once. */
export function costOfMedia(pricing: TokenPricing, usage: MediaUsage): Nanos {
  let attos = 0n;
  for (const [name, price] of Object.entries(PRICE_OF) as [keyof MediaUsage, keyof TokenPricing][]) {
    const amount = usage[name];
    const decimal = pricing[price];
    if (amount === undefined || decimal === undefined) continue;
    attos += (parsePrice(decimal) * BigInt(Math.round(amount * PARTS))) / BigInt(PARTS);
  }
  return toNanos(attos);
}
