/** Represents a chunk of a chat stream whose text is passed on without parsing it. */
import type { ChatChunk } from './chat-adapter.ts';

/** The part that all chunks of a stream share if they differ in their text only. */
export interface TextPattern {
  /** The index of the only choice. */
  readonly index: number;
  /** Returns a parsed and checked chunk with this text, for the caller alone. */
  chunkWith(text: string): ChatChunk;
}

/**
 * A chunk that differs from an earlier one in its text only; most of a stream consists of such chunks. Its text stays
 * the JSON that the upstream wrote, because parsing and serializing chunks is most of a stream's cost.
 */
export class TextChunk {
  /** Further fields of a chunk, which the pattern holds. */
  readonly [field: string]: unknown;
  /** The common part, one object for all chunks that share it. */
  readonly pattern: TextPattern;
  /** The text as a validated JSON string with its quotes. */
  readonly literal: string;

  constructor(pattern: TextPattern, literal: string) {
    this.pattern = pattern;
    this.literal = literal;
  }

  get text(): string {
    // Parsing copies the text: a slice of the literal would keep the whole received data in memory.
    return JSON.parse(this.literal) as string;
  }

  get choices(): ChatChunk['choices'] {
    return [{ index: this.pattern.index, delta: { content: this.text }, finish_reason: null }];
  }
}
