/** Meters a text answer for billing, in every dialect: by the upstream's own count, or by an estimate. */
import type { Modality } from '../../../domain/modality.ts';
import type { TokenUsage } from '../../../domain/token-usage.ts';
import type { OpenAiUsage } from '../../../providers/chat-adapter.ts';
import { tokensOfWeight } from '../token-estimate.ts';
import { hasTextCounts, toTextUsage } from '../token-usage.ts';

/** The results of metering a text answer. Each dialect reads them from its own events. */
export abstract class TextMeter {
  finishReason: string | null = null;
  /** The upstream's own finish reason, when it differs from `finishReason`. */
  nativeFinishReason: string | null = null;
  upstreamId: string | null = null;
  /** The model that the upstream names in its answer. */
  responseModel: string | null = null;
  serviceTier: string | null = null;
  /** The kinds of media that the answer contains so far. Text is always among them. */
  readonly outputModalities: Modality[] = ['text'];
  /** The weight of the text so far, for an estimate of its tokens. */
  protected weight = 0;
  /** True when the count so far is final. */
  protected isLast = false;

  abstract readonly toolCalls: number;
  /** The upstream's own count, if it sent one. */
  abstract readonly counted: OpenAiUsage | undefined;

  /** Returns whether the count so far covers the whole answer. `isWhole`: the stream ended by itself. */
  protected abstract isFinal(isWhole: boolean): boolean;

  protected noteMedium(medium: Modality): void {
    if (!this.outputModalities.includes(medium)) this.outputModalities.push(medium);
  }

  /** Returns whether the usage is an estimate, at least in part. */
  isEstimated(isWhole: boolean): boolean {
    return this.counted === undefined || !this.isFinal(isWhole) || !hasTextCounts(this.counted);
  }

  /**
   * Returns the upstream's count when the stream ended by itself or with a final count. Otherwise returns at least the
   * estimate of the text so far, because the interim counts of some vendors lag behind.
   */
  usage(promptTokens: number, isWhole: boolean): TokenUsage {
    const estimate = { prompt: promptTokens, completion: tokensOfWeight(this.weight) };
    if (this.counted === undefined) return estimate;
    const usage = toTextUsage(this.counted, () => estimate);
    return this.isFinal(isWhole) ? usage : atLeast(usage, estimate.completion);
  }
}

/** Raises the count of the answer to the estimate if it is lower. Upstreams count the prompt before they answer. */
function atLeast(usage: TokenUsage, completion: number): TokenUsage {
  return usage.completion >= completion ? usage : { ...usage, completion, calls: undefined };
}
