/** Shortens and compresses the prompt and answer of a generation until destinations can receive them. */
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import type { BroadcastContent } from '../../../domain/broadcast/event.ts';
import { withoutEmbeddedMedia } from './without-media.ts';

const compressElsewhere = promisify(gzip);

/**
 * The longest text that is compressed on this thread. Handing a shorter text to another thread takes longer than
 * compressing it.
 */
const SMALL_CHARACTERS = 16 * 1024;

/**
 * The largest content of one generation, compressed and as JSON. The JSON is limited too, because a reader holds it in
 * memory.
 */
export const MAX_COMPRESSED_BYTES = 256 * 1024;
export const MAX_CHARACTERS = 2 * 1024 ** 2;

/** The shortest length to which texts are cut. Content that is still too large is dropped. */
const SHORTEST_TEXT = 64;

/** Content as JSON in pieces, so that old messages can be removed without writing the others again. */
export interface RenderedContent {
  /** The messages of the prompt, the oldest first. */
  messages: string[];
  /** A JSON object with all other fields. */
  others: string;
  isTruncated: boolean;
  /** The fields that filters still find whole. */
  wholeFields: NonNullable<BroadcastContent['wholeFields']>;
}

export interface CompressedContent {
  bytes: Buffer;
  /** The length of the JSON. */
  size: number;
}

const EVERY_FIELD: RenderedContent['wholeFields'] = ['input', 'output'];

const NOTHING: RenderedContent = {
  messages: [],
  others: '{"output":[],"outputText":null}',
  isTruncated: true,
  wholeFields: [],
};

/** Writes content as JSON, without pictures embedded in texts. Removes the oldest messages if it is too long. */
export function renderContent({ input, ...others }: BroadcastContent): RenderedContent {
  const rendered = {
    messages: input.map((message) => withoutEmbeddedMedia(JSON.stringify(message))),
    others: withoutEmbeddedMedia(JSON.stringify(others)),
    isTruncated: false,
    wholeFields: EVERY_FIELD,
  };
  return fitInto(rendered, MAX_CHARACTERS);
}

export function lengthOf({ messages, others }: RenderedContent): number {
  return messages.reduce((sum, { length }) => sum + length + 1, others.length);
}

/** Compresses content. Removes the oldest messages until it fits, and then cuts texts. */
export async function compressContent(rendered: RenderedContent): Promise<CompressedContent> {
  let content = rendered;
  for (;;) {
    const json = toJson(content);
    const bytes = json.length > SMALL_CHARACTERS ? await compressElsewhere(json) : gzipSync(json);
    if (bytes.length <= MAX_COMPRESSED_BYTES) return { bytes, size: json.length };
    const share = MAX_COMPRESSED_BYTES / bytes.length;
    // Aim a tenth below the limit, because shorter texts compress less well.
    content = fitInto(content, Math.floor(lengthOf(content) * share * 0.9));
  }
}

function fitInto(content: RenderedContent, maxLength: number): RenderedContent {
  let length = lengthOf(content);
  if (length <= maxLength) return content;
  const { messages } = content;
  let first = 0;
  while (length > maxLength && first < messages.length - 1) {
    length -= messages[first]!.length + 1;
    first += 1;
  }
  let fitting: RenderedContent = { ...content, messages: messages.slice(first), isTruncated: true };
  if (first > 0) fitting.wholeFields = fitting.wholeFields.filter((field) => field !== 'input');
  for (let longest = maxLength; lengthOf(fitting) > maxLength; longest = Math.floor(longest / 2)) {
    if (longest < SHORTEST_TEXT) return NOTHING;
    fitting = withShortTexts(fitting, longest);
  }
  return fitting;
}

function withShortTexts(content: RenderedContent, longest: number): RenderedContent {
  const shorten = (json: string): string =>
    JSON.stringify(
      JSON.parse(json, (_name, value: unknown) => (typeof value === 'string' ? cut(value, longest) : value)),
    );
  const messages = content.messages.map(shorten);
  const { system = '', outputText } = JSON.parse(content.others) as Partial<BroadcastContent>;
  const isWhole = {
    input: system.length <= longest && messages.every((message, n) => message === content.messages[n]),
    output: (outputText ?? '').length <= longest,
  };
  const wholeFields = content.wholeFields.filter((field) => isWhole[field]);
  return { ...content, messages, others: shorten(content.others), wholeFields };
}

function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const kept = text.slice(0, longest);
  // Remove half a surrogate pair at the end, which is not valid text.
  return /[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept;
}

function toJson({ messages, others, isTruncated, wholeFields }: RenderedContent): string {
  const cut = isTruncated ? `"isTruncated":true,"wholeFields":${JSON.stringify(wholeFields)},` : '';
  return `{"input":[${messages.join(',')}],${cut}${others.slice(1)}`;
}
