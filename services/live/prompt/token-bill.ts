/** Bills the tokens of a text request. */
import { pricesUnder } from '../../../domain/catalog/price-conditions.ts';
import { costOfTokens, type TokenCost } from '../../../domain/catalog/token-price.ts';
import type { Modality } from '../../../domain/modality.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import type { TokenUsage } from '../../../domain/token-usage.ts';
import type { Ending } from '../generation.ts';
import type { PromptFacts } from './prompt-facts.ts';

/** The bill of a text request, and its cost by prompt and completion. */
export interface TokenBill {
  cost: TokenCost;
  billed: Pick<Ending, 'usage' | 'costNanos' | 'prices' | 'promptImages' | 'outputModalities'>;
}

/** Bills the usage of a text request that ends now, by the prices that apply to it. */
export function billTokens(
  { endpoint: { pricing } }: Target,
  { askedAtMs, images, modalities }: PromptFacts,
  usage: TokenUsage,
  outputModalities: Modality[],
): TokenBill {
  const endedAtMs = Date.now();
  const prices = pricesUnder(pricing, {
    promptTokens: [usage.prompt, usage.prompt],
    startedAtMs: askedAtMs,
    endedAtMs: [endedAtMs, endedAtMs],
    inputModalities: modalities,
    outputModalities,
  });
  const cost = costOfTokens(prices, usage, images);
  return {
    cost,
    billed: { usage, costNanos: cost.totalNanos, prices, promptImages: images, outputModalities },
  };
}
