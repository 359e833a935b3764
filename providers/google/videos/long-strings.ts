/** Reads JSON whose strings may hold whole files, without keeping such strings in memory. */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { OutboundResponseTooLargeError } from '../../../platform/outbound-error.ts';
import { withoutMark } from '../../byte-order-mark.ts';

/** The longest string that is kept, in bytes. Every video in base64 is longer. */
const MAX_KEPT_BYTES = 4_096;
/** The most text that may be left without the long strings, as for other vendors' answers. */
const MAX_TEXT_BYTES = 1024 ** 2;
/** The longest answer that is read to its end: a video of 768 MiB in base64. */
const MAX_BODY_BYTES = 1024 ** 3;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** The text in place of a long string. No vendor can guess it. */
const PLACE = `long-string-${randomUUID()}-`;

/** A string in an answer: its text, or the number of a long string that was not kept. */
export type FoundString = { text: string } | { long: number };

/** Reads JSON as text in which a short mark replaces every long string. `foundString` recognizes the marks. */
export async function readWithoutLongStrings(body: Readable): Promise<string> {
  const splitter = new JsonSplitter();
  const kept: Buffer[] = [];
  let [bodyBytes, textBytes, last] = [0, 0, -1];
  const keep = (text: Buffer): void => {
    textBytes += text.length;
    if (textBytes > MAX_TEXT_BYTES) throw new OutboundResponseTooLargeError(MAX_TEXT_BYTES);
    // A copy, because a part of a chunk would keep all of it in memory.
    kept.push(Buffer.copyBytesFrom(text));
  };
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bodyBytes += chunk.length;
    if (bodyBytes > MAX_BODY_BYTES) throw new OutboundResponseTooLargeError(MAX_BODY_BYTES);
    for (const piece of splitter.split(chunk)) {
      if ('text' in piece) keep(piece.text);
      else if (piece.long !== last) keep(Buffer.from(`${PLACE}${(last = piece.long)}`));
    }
  }
  return withoutMark(Buffer.concat(kept)).toString('utf8');
}

/** Returns a string of an answer that was read without its long strings; undefined for an empty one or no string. */
export function foundString(value: unknown): FoundString | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  return value.startsWith(PLACE) ? { long: Number(value.slice(PLACE.length)) } : { text: value };
}

/** Yields the text of the long string with this number, as it arrives. Returns without a piece if there is none. */
export async function* longString(body: Readable, number: number): AsyncGenerator<Buffer> {
  const splitter = new JsonSplitter();
  for await (const chunk of body as AsyncIterable<Buffer>) {
    for (const piece of splitter.split(chunk)) {
      if ('part' in piece && piece.long === number) yield piece.part;
    }
  }
}

/** A piece of JSON: text, or a part of a long string, which has its number in the document, from 0. */
type Piece = { text: Buffer } | { long: number; part: Buffer };

/** Splits JSON into text and long strings, as it arrives. */
class JsonSplitter {
  #inString = false;
  /** True: the chunk ended behind a backslash. */
  #isEscaped = false;
  /** The beginning of a string that may still be short; undefined in a long one. */
  #held: Buffer[] | undefined;
  #heldBytes = 0;
  #strings = 0;

  *split(chunk: Buffer): Generator<Piece> {
    let at = 0;
    while (at < chunk.length) {
      if (!this.#inString) {
        const quote = chunk.indexOf(QUOTE, at);
        const end = quote === -1 ? chunk.length : quote + 1;
        yield { text: chunk.subarray(at, end) };
        if (quote !== -1) this.#begin();
        at = end;
        continue;
      }
      const end = this.#endOfString(chunk, at);
      yield* this.#take(chunk.subarray(at, end));
      if (end < chunk.length) yield* this.#finish();
      at = end + 1;
    }
  }

  #begin(): void {
    this.#inString = true;
    this.#held = [];
    this.#heldBytes = 0;
  }

  *#take(part: Buffer): Generator<Piece> {
    if (this.#held === undefined) return yield { long: this.#strings, part };
    this.#held.push(part);
    this.#heldBytes += part.length;
    if (this.#heldBytes <= MAX_KEPT_BYTES) return;
    const begun = Buffer.concat(this.#held);
    this.#held = undefined;
    yield { long: this.#strings, part: begun };
  }

  *#finish(): Generator<Piece> {
    if (this.#held === undefined) this.#strings += 1;
    else yield { text: Buffer.concat(this.#held) };
    yield { text: Buffer.from('"') };
    this.#inString = false;
  }

  /** Returns the index of the closing quote; the length of the chunk if it is not in there. */
  #endOfString(chunk: Buffer, from: number): number {
    let at = this.#isEscaped ? from + 1 : from;
    this.#isEscaped = false;
    while (at < chunk.length) {
      const quote = chunk.indexOf(QUOTE, at);
      const end = quote === -1 ? chunk.length : quote;
      const backslash = chunk.subarray(at, end).indexOf(BACKSLASH);
      if (backslash === -1) return end;
      at += backslash + 2;
    }
    this.#isEscaped = at > chunk.length;
    return chunk.length;
  }
}
