/** Meters a streamed chat for billing. */
import type { ChatChunk, OpenAiUsage } from '../../../providers/chat-adapter.ts';
import { TextChunk } from '../../../providers/text-chunk.ts';
import { answeringModel } from '../answering-model.ts';
import { nativeFinishOf } from '../../../domain/live/finish-reason.ts';
import { TextMeter } from '../pipeline/text-meter.ts';
import { hasPictures, hasSound } from './made-media.ts';
import { messageWeight, textWeight } from '../token-estimate.ts';

/** The most tool calls that are counted. An upstream could send any number of them. */
const MAX_TOOL_CALLS = 1_000;

interface ToolCallPiece {
  index?: number;
  function?: { arguments?: unknown };
}

/**
 * Counts the tokens of a stream as its chunks pass. A count is final when it came after the finish reason and no choice
 * followed it.
 */
export class ChatMeter extends TextMeter {
  counted: OpenAiUsage | undefined;
  readonly #toolCalls = new Set<string>();

  get toolCalls(): number {
    return this.#toolCalls.size;
  }

  addChunk(chunk: ChatChunk): void {
    if (chunk instanceof TextChunk) {
      this.weight += textWeight(chunk.text);
      this.isLast = false;
      return;
    }
    this.upstreamId ??= chunk.id ?? null;
    this.responseModel ??= answeringModel(chunk);
    if (typeof chunk['service_tier'] === 'string') this.serviceTier = chunk['service_tier'];
    for (const choice of chunk.choices) this.#addChoice(choice);
    if (chunk.usage) {
      this.counted = chunk.usage;
      this.isLast = this.finishReason !== null;
    } else if (chunk.choices.length > 0) this.isLast = false;
  }

  protected isFinal(isWhole: boolean): boolean {
    return isWhole || this.isLast;
  }

  #addChoice(choice: ChatChunk['choices'][number]): void {
    const { index, delta, finish_reason: reason } = choice;
    this.weight += messageWeight(delta);
    if (hasPictures(delta)) this.noteMedium('image');
    if (hasSound(delta)) this.noteMedium('audio');
    if (delta.tool_calls !== undefined) {
      for (const call of delta.tool_calls as ToolCallPiece[]) {
        // Identify calls by index, because some vendors repeat the id with every piece.
        if (this.#toolCalls.size < MAX_TOOL_CALLS) this.#toolCalls.add(`${index}.${call.index ?? 0}`);
        if (typeof call.function?.arguments === 'string') this.weight += textWeight(call.function.arguments);
      }
    }
    this.finishReason = reason ?? this.finishReason;
    if (reason) this.nativeFinishReason = nativeFinishOf(choice);
  }
}
