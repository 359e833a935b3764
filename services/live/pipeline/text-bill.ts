/** Turns the metered usage of a text answer into a bill, in every dialect. */
import type { AppError } from '../../../domain/errors.ts';
import type { TokenUsage } from '../../../domain/token-usage.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import type { TokenCost } from '../../../domain/catalog/token-price.ts';
import type { PromptFacts } from '../prompt/prompt-facts.ts';
import { priceOf } from '../settle-generation.ts';
import type { StreamBill } from './live-operation.ts';

/** The results of metering a text stream, in every dialect. */
export interface TextMeter {
  /**
   * Returns the upstream's count when the stream ended by itself or with a final count. Otherwise returns at least the
   * estimate of the text so far, because the interim counts of some vendors lag behind.
   */
  usage(promptTokens: number, isWhole: boolean): TokenUsage;
  readonly finishReason: string | null;
  /** The upstream's own finish reason, when it differs from `finishReason`. */
  readonly nativeFinishReason?: string | null;
  readonly upstreamId: string | null;
  /** The model that the upstream names in its answer. */
  readonly responseModel: string | null;
  readonly serviceTier: string | null;
  readonly toolCalls: number;
}

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
  const usage = meter.usage(prompt.estimatedTokens, failure === undefined);
  const cost = priceOf({ target, usage }, prompt.images);
  const {
    finishReason,
    nativeFinishReason = null,
    upstreamId,
    responseModel,
    serviceTier,
    toolCalls,
  } = meter;
  return {
    usage,
    cost,
    completionTokens: usage.completion,
    billed: {
      usage,
      costNanos: cost.totalNanos,
      promptImages: prompt.images,
      outputModalities: ['text'],
      finishReason,
      nativeFinishReason,
      upstreamId,
      responseModel,
      serviceTier,
      toolCalls,
    },
  };
}
