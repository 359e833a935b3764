import type { TokenUsage } from '../../../domain/token-usage.ts';
import type { ChatChunk, OpenAiUsage } from '../../../providers/chat-adapter.ts';
import { TextChunk } from '../../../providers/text-chunk.ts';
import { answeringModel } from '../answering-model.ts';
import { nativeFinishOf } from '../finish-reason.ts';
import type { TextMeter } from '../pipeline/text-bill.ts';
import { messageWeight, textWeight, tokensOfWeight } from '../token-estimate.ts';
import { toTokenUsage } from '../token-usage.ts';

/** Counts the tokens of a stream as its chunks pass. */
export interface ChatMeter extends TextMeter {
  see(chunk: ChatChunk): void;
  /** The upstream's own count, if it sent one. */
  readonly counted: OpenAiUsage | undefined;
}

interface ToolCallPiece {
  index?: number;
  function?: { arguments?: unknown };
}

export function createChatMeter(): ChatMeter {
  let counted: OpenAiUsage | undefined;
  /** True when the count came after the finish reason and no content followed it. */
  let isLast = false;
  let weight = 0;
  let finishReason: string | null = null;
  let nativeFinishReason: string | null = null;
  let upstreamId: string | null = null;
  let responseModel: string | null = null;
  let serviceTier: string | null = null;
  const toolCalls = new Set<string>();
  return {
    see(chunk) {
      if (chunk instanceof TextChunk) {
        weight += textWeight(chunk.text);
        isLast = false;
        return;
      }
      upstreamId ??= chunk.id ?? null;
      responseModel ??= answeringModel(chunk);
      if (typeof chunk['service_tier'] === 'string') serviceTier = chunk['service_tier'];
      for (const choice of chunk.choices) {
        const { index, delta, finish_reason: reason } = choice;
        weight += messageWeight(delta);
        if (delta.tool_calls !== undefined) {
          for (const call of delta.tool_calls as ToolCallPiece[]) {
            // Some vendors repeat the id with every piece.
            toolCalls.add(`${index}.${call.index ?? 0}`);
            if (typeof call.function?.arguments === 'string') weight += textWeight(call.function.arguments);
          }
        }
        finishReason = reason ?? finishReason;
        if (reason) nativeFinishReason = nativeFinishOf(choice);
      }
      if (chunk.usage) {
        counted = chunk.usage;
        isLast = finishReason !== null;
      } else if (chunk.choices.length > 0) isLast = false;
    },
    usage(promptTokens, isWhole) {
      const guessed = { prompt: promptTokens, completion: tokensOfWeight(weight) };
      if (counted === undefined) return guessed;
      const usage = toTokenUsage(counted);
      return isWhole || isLast ? usage : atLeast(usage, guessed);
    },
    get counted() {
      return counted;
    },
    get finishReason() {
      return finishReason;
    },
    get nativeFinishReason() {
      return nativeFinishReason;
    },
    get upstreamId() {
      return upstreamId;
    },
    get responseModel() {
      return responseModel;
    },
    get serviceTier() {
      return serviceTier;
    },
    get toolCalls() {
      return toolCalls.size;
    },
  };
}

/**
 * Raises a usage to what was estimated. A prompt's count is kept when there is one: an upstream counts the prompt
 * before it sends anything.
 */
export function atLeast(usage: TokenUsage, guessed: { prompt: number; completion: number }): TokenUsage {
  const prompt = usage.prompt > 0 ? usage.prompt : guessed.prompt;
  return { ...usage, prompt, completion: Math.max(usage.completion, guessed.completion) };
}
