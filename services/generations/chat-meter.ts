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

export function createChatMeter(): ChatMeter {
  let counted: OpenAiUsage | undefined;
  let characters = 0;
  let finishReason: string | null = null;
  let upstreamId: string | null = null;
  let serviceTier: string | null = null;
  let toolCalls = 0;
  return {
    see(chunk) {
      upstreamId ??= chunk.id ?? null;
      if (typeof chunk['service_tier'] === 'string') serviceTier = chunk['service_tier'];
      if (chunk.usage) counted = chunk.usage;
      for (const { delta, finish_reason: reason } of chunk.choices) {
        if (typeof delta.content === 'string') characters += delta.content.length;
        if (typeof delta['reasoning'] === 'string') characters += delta['reasoning'].length;
        if (delta.tool_calls !== undefined) {
          for (const call of delta.tool_calls as { id?: unknown; function?: { arguments?: unknown } }[]) {
            if (call.id !== undefined) toolCalls += 1;
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
      return toolCalls;
    },
  };
}
