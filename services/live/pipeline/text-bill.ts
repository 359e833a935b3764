import type { AppError } from '../../../domain/errors.ts';
import type { TokenUsage } from '../../../domain/token-usage.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import type { TokenCost } from '../../../domain/catalog/token-price.ts';
import type { PromptFacts } from '../prompt-facts.ts';
import { priceOf } from '../settle-generation.ts';
import type { StreamBill } from './live-operation.ts';

/** The meter of a text stream at its end, in every dialect. */
export interface TextMeter {
  /**
   * Returns what the upstream counted, when the stream came to its end or to the upstream's last count. A stream that
   * was cut off used no less than what passed here, by an estimate: the counts that some vendors send on the way may be
   * behind.
   */
  usage(promptTokens: number, isWhole: boolean): TokenUsage;
  readonly finishReason: string | null;
  /** The upstream's own word, where `finishReason` is not. */
  readonly nativeFinishReason?: string | null;
  readonly upstreamId: string | null;
  /** The model that the upstream says it ran. */
  readonly responseModel: string | null;
  readonly serviceTier: string | null;
  readonly toolCalls: number;
}

export interface TextBill extends StreamBill {
  usage: TokenUsage;
  cost: TokenCost;
}

/** Bills a stream of text by what its meter has seen. */
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
