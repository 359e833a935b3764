import type { TokenUsage } from '../../domain/generation.ts';
import type { ChatChunk, OpenAiUsage } from '../../providers/provider.ts';
import { estimateTokens } from './prompt-facts.ts';
import { toTokenUsage } from './token-usage.ts';

/** Counts a stream as it passes. */
export interface ChatMeter {
  see(chunk: ChatChunk): void;
  /** What the upstream counted; else what passed here, guessed. */
  usage(promptTokens: number): TokenUsage;
  readonly finishReason: string | null;
  readonly upstreamId: string | null;
  readonly serviceTier: string | null;
  readonly toolCalls: number;
}

interface ToolCallPiece {
  index?: number;
  function?: { arguments?: unknown };
}

export function createChatMeter(): ChatMeter {
  let counted: OpenAiUsage | undefined;
  let characters = 0;
  let finishReason: string | null = null;
  let upstreamId: string | null = null;
  let serviceTier: string | null = null;
  const toolCalls = new Set<string>();
  return {
    see(chunk) {
      upstreamId ??= chunk.id ?? null;
      if (typeof chunk['service_tier'] === 'string') serviceTier = chunk['service_tier'];
      if (chunk.usage) counted = chunk.usage;
      for (const { index, delta, finish_reason: reason } of chunk.choices) {
        if (typeof delta.content === 'string') characters += delta.content.length;
        for (const thought of [delta['reasoning'], delta['reasoning_content'], delta['refusal']]) {
          if (typeof thought === 'string') characters += thought.length;
        }
        if (delta.tool_calls !== undefined) {
          for (const call of delta.tool_calls as ToolCallPiece[]) {
            // Some vendors repeat the id with every piece.
            toolCalls.add(`${index}.${call.index ?? 0}`);
            if (typeof call.function?.arguments === 'string') characters += call.function.arguments.length;
          }
        }
        finishReason = reason ?? finishReason;
      }
    },
    usage: (promptTokens) =>
      counted === undefined
        ? { prompt: promptTokens, completion: estimateTokens(characters) }
        : toTokenUsage(counted),
    get finishReason() {
      return finishReason;
    },
    get upstreamId() {
      return upstreamId;
    },
    get serviceTier() {
      return serviceTier;
    },
    get toolCalls() {
      return toolCalls.size;
    },
  };
}
