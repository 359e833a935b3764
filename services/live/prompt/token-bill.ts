/** Bills the tokens of a text request. */
import type { LiveEndpoint } from '../../../domain/catalog/catalog.ts';
import { costOfCalls, priceCalls, pricesOfCalls } from '../../../domain/catalog/priced-calls.ts';
import type { TokenCost } from '../../../domain/catalog/token-price.ts';
import { pricedTierOf } from '../../../domain/live/service-tier.ts';
import type { Modality } from '../../../domain/modality.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import type { TokenUsage } from '../../../domain/token-usage.ts';
import { finalPrices } from '../applicable-prices.ts';
import type { Ending } from '../generation.ts';
import type { PromptFacts } from './prompt-facts.ts';

/** The bill of a text request, and its cost by prompt and completion. */
export interface TokenBill {
  cost: TokenCost;
  billed: Pick<Ending, 'usage' | 'costNanos' | 'prices' | 'calls' | 'promptImages' | 'outputModalities'>;
}

/** The parts of an answer that determine its bill. */
interface BilledAnswer {
  usage: TokenUsage;
  outputModalities: Modality[];
  /** The service tier that the vendor names; absent or null if it names none. */
  servedTier?: string | null | undefined;
}

/**
 * Bills a text request that ends now, by the prices that apply to it. The served tier decides. It never costs more than
 * the requested one, which also decides when the vendor names none, or one without prices.
 */
export function billTokens(target: Target, prompt: PromptFacts, answer: BilledAnswer): TokenBill {
  const { usage, outputModalities, servedTier } = answer;
  const { serviceTier: asked, images } = prompt;
  const ofTier = (tier: string | undefined) => {
    const calls = priceCalls(usage, (tokens) =>
      finalPrices(target.endpoint, prompt, tokens, outputModalities, tier),
    );
    return { calls, cost: costOfCalls(calls, images) };
  };
  const served = servedTier ? pricedTierOf(servedTier) : asked;
  let bill = ofTier(asked);
  if (served !== asked && (served === undefined || hasPricesForTier(target.endpoint, served))) {
    const ofServed = ofTier(served);
    if (ofServed.cost.totalNanos < bill.cost.totalNanos) bill = ofServed;
  }
  const { cost } = bill;
  const { prices, calls } = pricesOfCalls(bill.calls);
  const billed = { usage, costNanos: cost.totalNanos, prices, calls, promptImages: images, outputModalities };
  return { cost, billed };
}

/** Returns whether an endpoint has prices for a service tier that are valid now. */
export function hasPricesForTier({ pricing }: LiveEndpoint, tier: string): boolean {
  const nowMs = Date.now();
  return (pricing.overrides ?? []).some(
    ({ serviceTier, validFrom }) =>
      serviceTier === tier && (validFrom === undefined || Date.parse(validFrom) <= nowMs),
  );
}
