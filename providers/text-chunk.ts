import type { ChatChunk } from './chat-adapter.ts';

/** What chunks of one stream have in common that differ in their text alone. */
export interface TextPattern {
  /** Of their only choice. */
  readonly index: number;
  /** Such a chunk, parsed and checked like any other; the caller's own. */
  chunkWith(text: string): ChatChunk;
}

/**
 * A chunk that says what one before it said, but for the text: most of a stream. Its text stays the JSON that the
 * upstream wrote, because parsing a chunk and writing it anew is most of what a stream costs.
 */
export class TextChunk {
  /** A chunk has more fields, all of them said before. */
  readonly [field: string]: unknown;
  /** The same object for all that have it in common. */
  readonly pattern: TextPattern;
  /** The text as a JSON string, quotes included, checked. */
  readonly literal: string;

  constructor(pattern: TextPattern, literal: string) {
    this.pattern = pattern;
    this.literal = literal;
  }

  get text(): string {
    // Not a slice of it, which would keep all that arrived with it in memory as long as itself.
    return JSON.parse(this.literal) as string;
  }

  get choices(): ChatChunk['choices'] {
    return [{ index: this.pattern.index, delta: { content: this.text }, finish_reason: null }];
  }
}
