/** Reads JSON whose strings may hold whole files, without keeping such strings in memory. */
import type { Readable } from 'node:stream';
import { textOf } from '../../../domain/fields.ts';
import { CollectedBytes } from '../../../platform/collected-bytes.ts';
import { OutboundResponseTooLargeError } from '../../../platform/outbound-error.ts';
import { withoutMark } from '../../byte-order-mark.ts';

/** The longest string that is kept, in bytes. Every video in base64 is longer. */
export const MAX_KEPT_BYTES = 4_096;
/** The most text that may be left without the long strings, as for other vendors' answers. */
const MAX_TEXT_BYTES = 1024 ** 2;
/** The longest answer that is read to its end: a video of 768 MiB in base64. */
const MAX_BODY_BYTES = 1024 ** 3;
/** The text in place of a long string: the number of quotes up to the string. */
const PLACE = /^inline:(\d{1,9})$/;
/** Matches the text up to the next quote that is not escaped, or to an escape that is not complete. */
const UP_TO_QUOTE = /(?:[^"\\]+|\\(?:u[^]{4}|[^u]))*/y;

/** Reads JSON as text, in which a short text stands for every long string. `placeOf` recognizes it. */
export async function readWithoutLongStrings(body: Readable): Promise<string> {
  const kept = new CollectedBytes();
  let [last, held, bytes] = [0, '', 0];
  for await (const { quotes, text } of piecesOf(body)) {
    if (quotes !== last) {
      kept.add(Buffer.from(`${held}"`, 'latin1'));
      [last, held, bytes] = [quotes, '', 0];
    }
    bytes += text.length;
    const isLongString = quotes % 2 === 1 && bytes > MAX_KEPT_BYTES;
    held = isLongString ? `inline:${quotes}` : held + text;
    if (kept.length + held.length > MAX_TEXT_BYTES) throw new OutboundResponseTooLargeError(MAX_TEXT_BYTES);
  }
  kept.add(Buffer.from(held, 'latin1'));
  return withoutMark(kept.whole()).toString('utf8');
}

/** Returns the place of the long string for which a text stands; undefined for any other text. */
export function placeOf(text: string): number | undefined {
  const [, place] = PLACE.exec(text) ?? [];
  return place === undefined ? undefined : Number(place);
}

/** Returns a text in an answer that was read without its long strings; empty for a long one, and for no text. */
export function wordsIn(value: unknown): string {
  const text = textOf(value);
  return placeOf(text) === undefined ? text : '';
}

/** Yields what JSON has at a place, as it arrives: whole escapes, and a character for each byte. */
export async function* textAt(body: Readable, place: number): AsyncGenerator<string> {
  for await (const { quotes, text } of piecesOf(body)) if (quotes === place) yield text;
}

/** Yields the pieces of JSON with the number of quotes before each, which is odd within a string. */
async function* piecesOf(body: Readable): AsyncGenerator<{ quotes: number; text: string }> {
  let [quotes, rest, bytes] = [0, '', 0];
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new OutboundResponseTooLargeError(MAX_BODY_BYTES);
    const arrived = rest + chunk.toString('latin1');
    let at = 0;
    for (;;) {
      UP_TO_QUOTE.lastIndex = at;
      const [text = ''] = UP_TO_QUOTE.exec(arrived) ?? [];
      yield { quotes, text };
      at += text.length;
      if (arrived[at] !== '"') break;
      quotes += 1;
      at += 1;
    }
    rest = arrived.slice(at);
  }
}
