/** Compares the prices of an endpoint with the limits of `max_price`. */
import { toMicros } from '../amount.ts';
import type { LiveEndpoint } from '../catalog/catalog.ts';
import type { UnitRates } from '../catalog/live-units.ts';
import { parsePrice } from '../catalog/token-price.ts';
import type { TokenPrices } from '../catalog/token-pricing.ts';

/** The highest prices that a caller accepts, in dollars per million tokens, or per unit. */
export interface MaxPrice {
  prompt?: string;
  completion?: string;
  image?: string;
  audio?: string;
  request?: string;
}

const MILLION = 1_000_000n;

/**
 * Returns whether the highest prices that a request can reach are within the limits. `image` limits the price of a
 * picture and of a megapixel, `audio` that of a second. A character counts as a token. A picture, megapixel, character
 * or request that costs units of the vendor costs the most units that the catalog allows for it.
 */
export function isAffordable(
  { pricing, capability, units }: LiveEndpoint,
  max: MaxPrice,
  highestPrices: () => TokenPrices | undefined,
): boolean {
  const isLimited = pricing.overrides !== undefined && Object.keys(max).length > 0;
  const prices = (isLimited ? highestPrices() : undefined) ?? pricing;
  const within = (limit: string | undefined, factor: bigint, ...limited: (string | undefined)[]) =>
    limit === undefined || limited.every((price) => parsePrice(price ?? '0') * factor <= parsePrice(limit));
  const unitsWithin = (limit: string | undefined, factor: bigint, ...names: (keyof UnitRates)[]) =>
    limit === undefined ||
    names.every((name) => {
      const micros = toMicros(units?.most[name] ?? '0');
      return parsePrice(prices.billableUnit ?? '0') * micros * factor <= parsePrice(limit) * MILLION;
    });
  const { imageInput, imageOutput, inputReference, outputImage, outputMegapixel } = prices;
  const [given, made] = capability === 'image' ? [imageInput, imageOutput] : [];
  return (
    within(max.prompt, MILLION, prices.prompt, prices.character, given) &&
    within(max.completion, MILLION, prices.completion, made) &&
    within(max.image, 1n, prices.image, inputReference, outputImage, outputMegapixel) &&
    within(max.audio, 1n, prices.audio, prices.outputSecond) &&
    within(max.request, 1n, prices.request, prices.searchUnit) &&
    unitsWithin(max.prompt, MILLION, 'per_character') &&
    unitsWithin(max.image, 1n, 'per_image', 'per_megapixel') &&
    unitsWithin(max.request, 1n, 'per_request')
  );
}
