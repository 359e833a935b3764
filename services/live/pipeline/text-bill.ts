/** Turns the metered usage of a text answer into a bill, in every dialect. */
import type { AppError } from '../../../domain/errors.ts';
import type { TokenUsage } from '../../../domain/token-usage.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import type { TokenCost } from '../../../domain/catalog/token-price.ts';
import type { PromptFacts } from '../prompt/prompt-facts.ts';
import { billTokens } from '../prompt/token-bill.ts';
import type { StreamBill } from './live-operation.ts';
import type { TextMeter } from './text-meter.ts';

export interface TextBill extends StreamBill {
  usage: TokenUsage;
  cost: TokenCost;
}

/** Bills a text stream by the counts of its meter. */
export function billText(
  target: Target,
  prompt: PromptFacts,
  meter: TextMeter,
  failure: AppError | undefined,
): TextBill {
  const isWhole = failure === undefined;
  const usage = meter.usage(prompt.estimatedTokens, isWhole);
  const { cost, billed } = billTokens(target, prompt, {
    usage,
    isEstimated: meter.isEstimated(isWhole),
    outputModalities: meter.outputModalities,
    servedTier: meter.serviceTier,
  });
  const { finishReason, nativeFinishReason, upstreamId, responseModel, serviceTier, toolCalls } = meter;
  return {
    usage,
    cost,
    completionTokens: usage.completion,
    billed: {
      ...billed,
      finishReason,
      nativeFinishReason,
      upstreamId,
      responseModel,
      serviceTier,
      toolCalls,
    },
  };
}
