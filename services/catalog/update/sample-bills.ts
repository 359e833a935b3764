/** Compares two price tables by what sample requests cost, so that no condition hides a change. */
import { hasPricesForTier } from '../../../domain/catalog/dated-prices.ts';
import type { TokenPricing } from '../../../domain/catalog/token-pricing.ts';
import { type BilledRequest, costOfRequest } from '../../../domain/ledger/bill.ts';
import type { Nanos } from '../../../domain/money.ts';
import type { TokenUsage } from '../../../domain/token-usage.ts';

/** The costs of one sample request. */
export interface SampleBill {
  /** The condition that prices may have for it: a step for a long prompt, or another tier. */
  condition: 'step' | 'tier' | undefined;
  before: Nanos;
  after: Nanos;
}

/** The lengths of prompts, one for each step that vendors are known to have. */
const SHORT = 1_000;
const LENGTHS = [SHORT, 100_000, 250_000, 500_000, 1_000_000];
const TIERS = [undefined, 'flex', 'priority'];

/** Returns what the sample requests cost by both tables. */
export function sampleBills(before: TokenPricing, after: TokenPricing, nowMs: number): SampleBill[] {
  const tiers = TIERS.filter((tier) => tier === undefined || hasPricesForTier(before, tier, nowMs));
  return tiers.flatMap((tier) =>
    LENGTHS.flatMap((length) =>
      usagesOf(length).map((tokens) => {
        const request = requestOf(tokens, tier, nowMs);
        return {
          condition: tier !== undefined ? 'tier' : length !== SHORT ? 'step' : undefined,
          before: costOfRequest(before, request).cost.totalNanos,
          after: costOfRequest(after, request).cost.totalNanos,
        };
      }),
    ),
  );
}

/** Returns usages of a prompt of this length: read, read from the cache, written to it, and answered. */
function usagesOf(prompt: number): TokenUsage[] {
  return [
    { prompt, completion: 0 },
    { prompt, completion: 0, cacheRead: prompt },
    { prompt, completion: 0, cacheWrite: prompt },
    // Many more tokens than the prompt has, so that their price decides.
    { prompt, completion: 100 * prompt },
  ];
}

function requestOf(tokens: TokenUsage, tier: string | undefined, nowMs: number): BilledRequest {
  return {
    startMs: nowMs,
    endMs: nowMs,
    inputs: ['text'],
    outputs: ['text'],
    requestedTier: tier,
    servedTier: tier,
    tokens,
  };
}
