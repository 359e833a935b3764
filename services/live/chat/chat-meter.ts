/** Meters a streamed chat for billing, by the upstream's own count or by an estimate. */
import type { TokenUsage } from '../../../domain/token-usage.ts';
import type { ChatChunk, OpenAiUsage } from '../../../providers/chat-adapter.ts';
import { TextChunk } from '../../../providers/text-chunk.ts';
import { answeringModel } from '../answering-model.ts';
import { nativeFinishOf } from '../../../domain/live/finish-reason.ts';
import type { TextMeter } from '../pipeline/text-bill.ts';
import { messageWeight, textWeight, tokensOfWeight } from '../token-estimate.ts';
import { toTokenUsage } from '../token-usage.ts';

/** Counts the tokens of a stream as its chunks pass. */
export interface ChatMeter extends TextMeter {
  addChunk(chunk: ChatChunk): void;
  /** The upstream's own count, if it sent one. */
  readonly counted: OpenAiUsage | undefined;
}

/** The most tool calls that are counted. An upstream could send any number of them. */
const MAX_TOOL_CALLS = 1_000;

interface ToolCallPiece {
  index?: number;
  function?: { arguments?: unknown };
}

interface SeenChunks {
  counted: OpenAiUsage | undefined;
  /** True when the count came after the finish reason and no choice followed it. */
  isLast: boolean;
  weight: number;
  finishReason: string | null;
  nativeFinishReason: string | null;
  upstreamId: string | null;
  responseModel: string | null;
  serviceTier: string | null;
  toolCalls: Set<string>;
}

export function createChatMeter(): ChatMeter {
  const seen: SeenChunks = {
    counted: undefined,
    isLast: false,
    weight: 0,
    finishReason: null,
    nativeFinishReason: null,
    upstreamId: null,
    responseModel: null,
    serviceTier: null,
    toolCalls: new Set<string>(),
  };
  return {
    addChunk: (chunk) => addChunk(seen, chunk),
    usage(promptTokens, isWhole) {
      const estimate = { prompt: promptTokens, completion: tokensOfWeight(seen.weight) };
      if (seen.counted === undefined) return estimate;
      const usage = toTokenUsage(seen.counted);
      return isWhole || seen.isLast ? usage : atLeast(usage, estimate);
    },
    get counted() {
      return seen.counted;
    },
    get finishReason() {
      return seen.finishReason;
    },
    get nativeFinishReason() {
      return seen.nativeFinishReason;
    },
    get upstreamId() {
      return seen.upstreamId;
    },
    get responseModel() {
      return seen.responseModel;
    },
    get serviceTier() {
      return seen.serviceTier;
    },
    get toolCalls() {
      return seen.toolCalls.size;
    },
  };
}

function addChunk(seen: SeenChunks, chunk: ChatChunk): void {
  if (chunk instanceof TextChunk) {
    seen.weight += textWeight(chunk.text);
    seen.isLast = false;
    return;
  }
  seen.upstreamId ??= chunk.id ?? null;
  seen.responseModel ??= answeringModel(chunk);
  if (typeof chunk['service_tier'] === 'string') seen.serviceTier = chunk['service_tier'];
  for (const choice of chunk.choices) {
    const { index, delta, finish_reason: reason } = choice;
    seen.weight += messageWeight(delta);
    if (delta.tool_calls !== undefined) {
      for (const call of delta.tool_calls as ToolCallPiece[]) {
        // Identify calls by index, because some vendors repeat the id with every piece.
        if (seen.toolCalls.size < MAX_TOOL_CALLS) seen.toolCalls.add(`${index}.${call.index ?? 0}`);
        if (typeof call.function?.arguments === 'string') seen.weight += textWeight(call.function.arguments);
      }
    }
    seen.finishReason = reason ?? seen.finishReason;
    if (reason) seen.nativeFinishReason = nativeFinishOf(choice);
  }
  if (chunk.usage) {
    seen.counted = chunk.usage;
    seen.isLast = seen.finishReason !== null;
  } else if (chunk.choices.length > 0) seen.isLast = false;
}

/**
 * Raises the upstream's counts to the estimate where they are lower. A prompt count above zero stays, because upstreams
 * count the prompt before they answer.
 */
export function atLeast(usage: TokenUsage, estimate: { prompt: number; completion: number }): TokenUsage {
  const prompt = usage.prompt > 0 ? usage.prompt : estimate.prompt;
  return { ...usage, prompt, completion: Math.max(usage.completion, estimate.completion) };
}
