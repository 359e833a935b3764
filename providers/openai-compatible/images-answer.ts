import { isAscii } from 'node:buffer';
import type { OpenAiUsage } from '../chat-adapter.ts';
import type { Base64, ImageAnswer, ImageRequest, MadeImage } from '../image-adapter.ts';
import { errorIn, isObject, misshapen, objectOf } from '../answer-checks.ts';
import { checkUsage } from './chat-checks.ts';

/** An answer's JSON, in which pictures may be numbers of the list beside it. */
export interface ParsedImages {
  body: unknown;
  /** Null: the pictures are where they were. */
  pictures: Buffer[] | null;
}

const FIELD = Buffer.from('"b64_json"');
const [QUOTE, BACKSLASH, COLON] = Buffer.from('"\\:');
/** What JSON lets stand between its words. */
const BLANKS = Buffer.from(' \t\n\r');

/**
 * Parses an answer without its pictures, which are most of it: in a string of JSON this name could not stand with its
 * quotes, so whatever follows it is a picture. They stay parts of the bytes, and are neither copied nor made text.
 * Where a picture is not plain base64, the answer is parsed as a whole. Throws a SyntaxError.
 */
export function parseImages(body: Buffer): ParsedImages {
  const pictures: Buffer[] = [];
  let lean = '';
  let from = 0;
  for (let at = body.indexOf(FIELD); at !== -1; at = body.indexOf(FIELD, from)) {
    const start = startOfText(body, at + FIELD.length);
    const end = start === -1 ? -1 : body.indexOf(QUOTE!, start);
    const picture = body.subarray(start, end);
    if (end === -1 || !isPlain(picture)) return { body: JSON.parse(body.toString()), pictures: null };
    lean += body.toString('utf8', from, start) + pictures.length;
    pictures.push(picture);
    from = end;
  }
  return { body: JSON.parse(lean + body.toString('utf8', from)), pictures };
}

/** Behind the opening quote of the text that is the value of a field; -1 when it is no text. */
function startOfText(body: Buffer, afterName: number): number {
  let at = afterName;
  while (at < body.length && (body[at] === COLON || BLANKS.includes(body[at]!))) at += 1;
  return body[at] === QUOTE ? at + 1 : -1;
}

/** No escapes, no line ends, and nothing that would have to be decoded. */
function isPlain(picture: Buffer): boolean {
  return isAscii(picture) && !picture.includes(BACKSLASH!) && !picture.includes(10) && !picture.includes(13);
}

/** The answer as it is billed and passed on. Throws ProviderError. */
export function readImages(
  { body, pictures }: ParsedImages,
  request: Pick<ImageRequest, 'n' | 'outputFormat'>,
  secret: string | undefined,
): ImageAnswer {
  const answer = objectOf(body);
  const error = errorIn(answer, secret);
  if (error !== undefined) throw error;
  const { data } = answer;
  if (!Array.isArray(data) || data.length === 0) throw misshapen('no pictures');
  const type = otherType(answer['output_format'], request.outputFormat);
  const images = data.slice(0, request.n).map((entry: unknown): MadeImage => {
    const field = isObject(entry) ? entry['b64_json'] : undefined;
    const b64Json: Base64 | undefined = pictures === null ? plainBase64(field) : pictures[Number(field)];
    if (b64Json === undefined || b64Json.length === 0) throw misshapen('an entry without a picture');
    return { b64Json, ...type };
  });
  const usage = toUsage(answer['usage']);
  return { images, ...(usage && { usage }) };
}

/** Base64 that may be cut into lines, as one; undefined for what is none. */
export function plainBase64(field: unknown): string | undefined {
  if (typeof field !== 'string') return undefined;
  const base64 = /\s/.test(field) ? field.replaceAll(/\s+/g, '') : field;
  return /^[\w+/=-]*$/.test(base64) ? base64 : undefined;
}

const TYPES = new Map([
  ['png', 'image/png'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['svg', 'image/svg+xml'],
]);

/** What the vendor says that it made, where it is not what was asked for. */
export function otherType(told: unknown, asked: string): Pick<MadeImage, 'mediaType'> {
  const mediaType = typeof told === 'string' && told !== asked ? TYPES.get(told) : undefined;
  return mediaType === undefined ? {} : { mediaType };
}

/** The Image API's words for a count in those of chat. Its output is pictures, unless the details say otherwise. */
export function toUsage(told: unknown): OpenAiUsage | undefined {
  if (!isObject(told)) return undefined;
  const { input_tokens: prompt, output_tokens: completion, total_tokens: total } = told;
  const [inDetail, outDetail] = [told['input_tokens_details'], told['output_tokens_details']];
  const body: { usage?: OpenAiUsage } = {
    usage: {
      prompt_tokens: prompt as number,
      completion_tokens: completion as number,
      ...(typeof total === 'number' ? { total_tokens: total } : {}),
      prompt_tokens_details: isObject(inDetail) ? inDetail : null,
      completion_tokens_details: isObject(outDetail) ? outDetail : { image_tokens: completion },
    },
  };
  // What is no count is dropped, as it is of a chat.
  checkUsage(body);
  return body.usage;
}
