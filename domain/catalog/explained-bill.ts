/** Splits the bill of a request by kind of token, and names the entry of prices that each price comes from. */
import { type Circumstances, verdictOn, YES } from './price-verdict.ts';
import { parsePrice } from './token-price.ts';
import { PRICE_INSTEAD, type TokenPrices, type TokenPricing } from './token-pricing.ts';
import type { TokenUsage } from '../token-usage.ts';

/** The price of a kind of token, and its origin. */
export interface PriceOrigin {
  /** Decimal dollars a token. */
  price: string;
  /** The name of the price; another one than that of the kind if the kind has no price of its own. */
  name: keyof TokenPrices;
  /** The place in `overrides`; null: the price stands beside them. */
  entry: number | null;
}

export interface BillLine extends PriceOrigin {
  kind: string;
  count: number;
  /** The unrounded cost in 10⁻¹⁸ dollars. */
  attos: bigint;
}

/**
 * Returns a line for each kind of token of a finished text request, and for the price of the request itself. Cached
 * tokens and cache writes are parts of the prompt, and thoughts of the completion. Kinds without tokens are left out.
 * The lines add up to the cost that the request is billed by `costOfTokens`.
 */
export function explainBill(
  pricing: TokenPricing,
  { prompt, completion, cacheRead = 0, cacheWrite = 0, cacheWriteHour = 0, reasoning = 0 }: TokenUsage,
  circumstances: Circumstances,
): BillLine[] {
  const kinds: [kind: string, count: number, name: keyof TokenPrices][] = [
    ['prompt', prompt - cacheRead - cacheWrite, 'prompt'],
    ['cached prompt', cacheRead, 'inputCacheRead'],
    ['cache write, 5 minutes', cacheWrite - cacheWriteHour, 'inputCacheWrite'],
    ['cache write, 1 hour', cacheWriteHour, 'inputCacheWriteHour'],
    ['answer', completion - reasoning, 'completion'],
    ['thoughts', reasoning, 'internalReasoning'],
  ];
  const request = originOf(pricing, circumstances, 'request');
  if (parsePrice(request.price) > 0n) kinds.push(['request', 1, 'request']);
  return kinds
    .filter(([, count]) => count > 0)
    .map(([kind, count, name]) => {
      const origin = originOf(pricing, circumstances, name);
      return { ...origin, kind, count, attos: BigInt(count) * parsePrice(origin.price) };
    });
}

/** Returns where the price of a kind comes from: the last entry that applies and has it, by the rules of the bill. */
function originOf(pricing: TokenPricing, circumstances: Circumstances, name: keyof TokenPrices): PriceOrigin {
  const { overrides = [] } = pricing;
  const entry = overrides.findLastIndex(
    (one) => one[name] !== undefined && verdictOn(one, circumstances) === YES,
  );
  const price = overrides[entry]?.[name] ?? pricing[name];
  if (price !== undefined) return { price, name, entry: entry === -1 ? null : entry };
  const instead = PRICE_INSTEAD[name];
  return instead === undefined
    ? { price: '0', name, entry: null }
    : originOf(pricing, circumstances, instead);
}
