/** Bills the tokens of a text request. */
import type { TokenCost } from '../../../domain/catalog/token-price.ts';
import { clip } from '../../../domain/clip.ts';
import { costOfRequest, type LiveBill } from '../../../domain/ledger/bill.ts';
import { pricedTierOf } from '../../../domain/live/service-tier.ts';
import type { Modality } from '../../../domain/modality.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import type { TokenUsage } from '../../../domain/token-usage.ts';
import { endOf } from '../applicable-prices.ts';
import type { Ending } from '../generation.ts';
import { flagsOf } from '../to-bill.ts';
import type { PromptFacts } from './prompt-facts.ts';

/** The bill of a text request, and its cost by prompt and completion. */
export interface TokenBill {
  cost: TokenCost;
  billed: Pick<
    Ending,
    'usage' | 'costNanos' | 'prices' | 'calls' | 'promptImages' | 'outputModalities' | 'bill'
  >;
}

/** The parts of an answer that determine its bill. */
interface BilledAnswer {
  usage: TokenUsage;
  /** True if the gateway estimated the usage, at least in part. */
  isEstimated: boolean;
  outputModalities: Modality[];
  /** The service tier that the vendor names; absent or null if it names none. */
  servedTier?: string | null | undefined;
}

/** Bills a text request that ends now, by the prices that apply to it. */
export function billTokens({ endpoint }: Target, prompt: PromptFacts, answer: BilledAnswer): TokenBill {
  const { usage, isEstimated, outputModalities, servedTier } = answer;
  const { images, serviceTier: requestedTier } = prompt;
  const bill: LiveBill = {
    prices: endpoint.priceVersion,
    flags: undefined,
    startMs: prompt.askedAtMs,
    endMs: endOf(prompt),
    inputs: prompt.modalities,
    outputs: outputModalities,
    requestedTier,
    servedTier: servedTier ? toServedTier(servedTier, requestedTier) : undefined,
    tokens: usage,
    images: images || undefined,
  };
  const { prices, calls, cost, hasUnpricedTier } = costOfRequest(endpoint.pricing, bill);
  bill.flags = flagsOf(isEstimated, hasUnpricedTier);
  const billed = {
    usage,
    costNanos: cost.totalNanos,
    prices,
    calls,
    promptImages: images,
    outputModalities,
    bill,
  };
  return { cost, billed };
}

/** Returns the tier that a vendor names, for the bill; undefined if that is the standard tier, as requested. */
function toServedTier(named: string, requested: string | undefined): string | null | undefined {
  const tier = pricedTierOf(named);
  if (tier === undefined) return requested === undefined ? undefined : null;
  return clip(tier, MAX_TIER_LENGTH);
}

/** The longest name of a tier that is kept. A vendor could send any text. */
const MAX_TIER_LENGTH = 256;
