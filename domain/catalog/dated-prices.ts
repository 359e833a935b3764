/** Looks at prices as they are at a moment, where entries of them have dates. */
import { PRICE_NAMES, type PriceOverride, type TokenPricing } from './token-pricing.ts';

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

/**
 * Returns the prices as a list shows them at a moment: entries of dates that have come have no date any more, and those
 * without another condition become part of the prices. Later dates stay.
 */
export function pricingShownAt(pricing: TokenPricing, atMs: number): TokenPricing {
  const { overrides, ...base } = pricing;
  if (overrides === undefined || overrides.every(({ validFrom }) => validFrom === undefined)) return pricing;
  let [shown, rest]: [TokenPricing, PriceOverride[]] = [base, []];
  for (const entry of overrides) {
    if (entry.validFrom === undefined || !isValid(entry.validFrom, atMs)) rest.push(entry);
    else {
      const undated = withoutDate(entry);
      if (!isUnconditional(undated)) rest.push(undated);
      else {
        // A later entry wins over earlier ones, for each of its prices.
        shown = { ...shown, ...undated };
        rest = rest.map((earlier) => without(earlier, undated)).filter(hasPrice);
      }
    }
  }
  return rest.length === 0 ? shown : { ...shown, overrides: rest };
}

const NAMES: ReadonlySet<string> = new Set(PRICE_NAMES);

function isUnconditional(entry: PriceOverride): boolean {
  return Object.keys(entry).every((name) => NAMES.has(name));
}

function hasPrice(entry: PriceOverride): boolean {
  return Object.keys(entry).some((name) => NAMES.has(name));
}

function without(entry: PriceOverride, replaced: PriceOverride): PriceOverride {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !(name in replaced)));
}
