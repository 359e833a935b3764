/** Chooses the prices of an endpoint that apply to a request, where prices depend on conditions. */
import { type Circumstances, NO, type Verdict, verdictOn, YES } from './price-verdict.ts';
import {
  PRICE_INSTEAD,
  PRICE_NAMES,
  type PriceOverride,
  type TokenPrices,
  type TokenPricing,
} from './token-pricing.ts';
import { parsePrice } from './token-price.ts';

/** Caches the prices by the verdicts on all entries, of which few combinations occur. */
const knownPrices = new WeakMap<TokenPricing, Map<number, TokenPrices>>();

/**
 * Returns the prices under these circumstances. Of the entries that apply, later ones win, for each price by itself.
 * Where it is open whether an entry applies, the higher price counts.
 */
export function pricesUnder(pricing: TokenPricing, circumstances: Circumstances): TokenPrices {
  const { overrides } = pricing;
  if (overrides === undefined || overrides.length === 0) return pricing;
  let key = 0;
  for (const entry of overrides) key = key * 3 + verdictOn(entry, circumstances);
  let known = knownPrices.get(pricing);
  if (known === undefined) knownPrices.set(pricing, (known = new Map()));
  let prices = known.get(key);
  if (prices === undefined) {
    prices = mergePrices(
      pricing,
      overrides.map((entry) => [entry, verdictOn(entry, circumstances)]),
    );
    known.set(key, prices);
  }
  return prices;
}

function mergePrices(
  { overrides: _entries, ...base }: TokenPricing,
  entries: readonly (readonly [PriceOverride, Verdict])[],
): TokenPrices {
  const merged: TokenPrices = { ...base };
  for (const name of PRICE_NAMES) {
    let possible: (string | undefined)[] = [base[name]];
    for (const [entry, verdict] of entries) {
      const price = entry[name];
      if (price === undefined || verdict === NO) continue;
      possible = verdict === YES ? [price] : [...possible, price];
    }
    // The names stand in such an order that the price in place of an absent one is merged before.
    const defaultPrice = priceInstead(merged, name);
    const price = possible.length === 1 ? possible[0] : dearest(possible.map((p) => p ?? defaultPrice));
    if (price !== undefined) merged[name] = price;
  }
  return merged;
}

/** Returns what tokens without a price of their own cost. */
function priceInstead(prices: TokenPrices, name: keyof TokenPrices): string {
  const instead = PRICE_INSTEAD[name];
  return instead === undefined ? '0' : (prices[instead] ?? priceInstead(prices, instead));
}

function dearest(prices: readonly string[]): string {
  return prices.reduce((most, price) => (parsePrice(price) > parsePrice(most) ? price : most));
}
