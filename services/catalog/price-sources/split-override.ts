/** Tells the conditions of an entry of prices from its prices. */
import {
  type PriceConditions,
  PRICE_NAMES,
  type PriceOverride,
  type TokenPrices,
} from '../../../domain/catalog/token-pricing.ts';

const PRICES: ReadonlySet<string> = new Set(PRICE_NAMES);

/** Splits an entry into its conditions and its prices. */
export function splitOverride(entry: PriceOverride): {
  conditions: PriceConditions;
  prices: Partial<TokenPrices>;
} {
  const pairs = Object.entries(entry);
  return {
    conditions: Object.fromEntries(pairs.filter(([name]) => !PRICES.has(name))),
    prices: Object.fromEntries(pairs.filter(([name]) => PRICES.has(name))),
  };
}
