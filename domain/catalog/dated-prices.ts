/** Looks at prices as they are at a moment, where entries of them have dates. */
import type { PriceOverride, TokenPricing } from './token-pricing.ts';

/** Returns whether prices for a service tier are valid at a moment, in Unix milliseconds. */
export function hasPricesForTier({ overrides = [] }: TokenPricing, tier: string, atMs: number): boolean {
  return overrides.some(({ serviceTier, validFrom }) => serviceTier === tier && isValid(validFrom, atMs));
}

function isValid(validFrom: string | undefined, atMs: number): boolean {
  return validFrom === undefined || Date.parse(validFrom) <= atMs;
}

/** Returns the prices as they are at a moment, for requests of any time. */
export function pricingAt({ overrides, ...pricing }: TokenPricing, atMs: number): TokenPricing {
  const valid = overrides?.filter(({ validFrom }) => isValid(validFrom, atMs));
  return { ...pricing, overrides: valid?.map(withoutDate) };
}

function withoutDate(entry: PriceOverride): PriceOverride {
  const { validFrom: _, ...undated } = entry;
  return undated;
}
