/** Writes the chunks of a chat stream as server-sent events with the gateway's own ids. */
import type { ChatChunk } from '../../../providers/chat-adapter.ts';
import { TextChunk, type TextPattern } from '../../../providers/text-chunk.ts';
import { nameFinish } from '../../../domain/live/finish-reason.ts';

/** The form of the chunks that an operation's callers receive. */
export interface ChunkForm {
  object: string;
  /** Returns the stamped chunk in this form. The result must hold the chunk's text once and unchanged. */
  write(chunk: ChatChunk): object;
}

export const CHAT_CHUNKS: ChunkForm = { object: 'chat.completion.chunk', write: (chunk) => chunk };

/** The fields that every chunk of a generation carries in place of the upstream's own. */
export interface Stamp {
  id: string;
  object: string;
  created: number;
  model: string;
  provider: string;
  /** Null on every chunk but the last, for callers who ask for a chunk with the usage, as OpenAI sends it. */
  usage?: null;
}

/** A text that stands for a chunk's text in a sample chunk. Its position shows where real texts belong. */
const PROBE = 'a text\nto be found again';

/**
 * Returns a function that writes a chunk as the caller's event. The function returns an empty string for a chunk that
 * has only counts.
 */
export function createChunkWriter(
  stamp: Stamp,
  { write }: ChunkForm = CHAT_CHUNKS,
): (chunk: ChatChunk) => string {
  const eventOf = (chunk: ChatChunk): string => event(write(stamped(chunk, stamp)));
  let pattern: TextPattern | undefined;
  let around: [before: string, after: string] | undefined;
  return (chunk) => {
    if (!(chunk instanceof TextChunk)) return chunk.choices.length > 0 ? eventOf(chunk) : '';
    if (chunk.pattern !== pattern) {
      pattern = chunk.pattern;
      around = splitAround(eventOf(pattern.chunkWith(PROBE)));
    }
    if (around === undefined) return eventOf(chunk.pattern.chunkWith(chunk.text));
    return around[0] + chunk.literal + around[1];
  };
}

export function event(data: object): string {
  return jsonEvent(JSON.stringify(data));
}

export function jsonEvent(json: string): string {
  return `data: ${json}\n\n`;
}

/**
 * Stamps the upstream's own object in place. Removes its usage, which the caller gets once, with its price, at the end.
 */
export function stamped(chunk: ChatChunk, stamp: Stamp): ChatChunk {
  if (chunk.usage !== undefined) delete chunk.usage;
  Object.assign(chunk, stamp);
  for (const choice of chunk.choices) nameFinish(choice);
  return chunk;
}

/** Returns the JSON before and after the text; undefined when the chunk holds the text more than once. */
function splitAround(written: string): [string, string] | undefined {
  const [before, after, more] = written.split(JSON.stringify(PROBE));
  return before === undefined || after === undefined || more !== undefined ? undefined : [before, after];
}
