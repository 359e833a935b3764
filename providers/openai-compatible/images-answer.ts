/** Parses image answers on OpenAI's wire without copying or decoding the pictures. */
import { isAscii } from 'node:buffer';
import { type Fields, isFields } from '../../domain/fields.ts';
import type { OpenAiUsage } from '../chat-adapter.ts';
import type { Base64, ImageAnswer, ImageRequest, MadeImage, StatedPicture } from '../image-adapter.ts';
import { answerOf, malformedAnswer } from '../answer-checks.ts';
import { countsFromText } from '../counts.ts';
import type { NoteRepair } from '../repairs.ts';
import { otherMediaType, outOfDataUrl } from './made-picture.ts';
import { repairUsage } from './repair/usage.ts';

/** An answer's JSON. If `pictures` is set, pictures in it are indexes of that list. */
export interface ParsedImages {
  body: Fields;
  /** Null: the pictures are in the body. */
  pictures: Buffer[] | null;
}

const FIELD = Buffer.from('"b64_json"');
const [QUOTE, BACKSLASH, COLON] = Buffer.from('"\\:');
/** The white space of JSON. */
const BLANKS = Buffer.from(' \t\n\r');

/**
 * Parses an answer without its pictures, which are most of it. The pictures stay slices of the bytes, neither copied
 * nor decoded. A match of the field's name is always a picture, because within a JSON string its quotes would be
 * escaped. If a picture is not plain base64, the whole answer is parsed. Throws ProviderError for an error that the
 * answer states, and a SyntaxError.
 */
export function parseImages(body: Buffer, secrets: readonly string[]): ParsedImages {
  const read = (json: string) => answerOf(JSON.parse(json), secrets);
  const pictures: Buffer[] = [];
  let withoutPictures = '';
  let from = 0;
  for (let at = body.indexOf(FIELD); at !== -1; at = body.indexOf(FIELD, from)) {
    const start = startOfText(body, at + FIELD.length);
    const end = start === -1 ? -1 : body.indexOf(QUOTE!, start);
    const picture = body.subarray(start, end);
    if (end === -1 || !isPlain(picture)) return { body: read(body.toString()), pictures: null };
    withoutPictures += body.toString('utf8', from, start) + pictures.length;
    pictures.push(picture);
    from = end;
  }
  return { body: read(withoutPictures + body.toString('utf8', from)), pictures };
}

/** Returns the index after the opening quote of a field's text; -1 if the value is no text. */
function startOfText(body: Buffer, afterName: number): number {
  let at = afterName;
  while (at < body.length && (body[at] === COLON || BLANKS.includes(body[at]!))) at += 1;
  return body[at] === QUOTE ? at + 1 : -1;
}

/** Returns whether a picture is plain: without escapes, line ends and non-ASCII characters. */
function isPlain(picture: Buffer): boolean {
  return isAscii(picture) && !picture.includes(BACKSLASH!) && !picture.includes(10) && !picture.includes(13);
}

export interface ReadImagesOptions {
  note: NoteRepair;
  /** Fetches a picture that the answer names by a URL. */
  fetchPicture(url: string): Promise<MadeImage>;
}

/** Converts the parsed answer. Fails with ProviderError. */
export async function readImages(
  { body, pictures }: ParsedImages,
  request: Pick<ImageRequest, 'n' | 'outputFormat'>,
  { note, fetchPicture }: ReadImagesOptions,
): Promise<ImageAnswer> {
  const { data } = body;
  if (!Array.isArray(data) || data.length === 0) throw malformedAnswer('no pictures');
  const type = otherType(body['output_format'], request.outputFormat);
  const made = data.slice(0, request.n).map(async (entry: unknown): Promise<MadeImage> => {
    const { b64_json: field, url } = isFields(entry) ? entry : {};
    const value = pictures === null ? plainBase64(field) : pictures[Number(field ?? NaN)];
    if (value !== undefined && value.length > 0) return madeImage(value, type, request.outputFormat);
    // Models before GPT Image, and many servers, answer with a URL unless base64 is requested.
    if (typeof url !== 'string' || url === '') throw malformedAnswer('an entry without a picture');
    return fetchPicture(url);
  });
  const usage = toUsage(body['usage'], note);
  return { images: await Promise.all(made), usage, stated: statedIn(body) };
}

/** Returns the size and quality that an answer states; undefined if it states neither. `auto` is no statement. */
export function statedIn({ size, quality }: Record<string, unknown>): StatedPicture | undefined {
  const chosen = (value: unknown): string | undefined =>
    typeof value === 'string' && value !== 'auto' ? value : undefined;
  const stated = { size: chosen(size), quality: chosen(quality) };
  return stated.size === undefined && stated.quality === undefined ? undefined : stated;
}

/** Returns the picture in base64 or in a data URL, whose type is nearer to the picture than that of the answer. */
export function madeImage(
  value: Base64,
  reported: Pick<MadeImage, 'mediaType'>,
  requestedFormat: string,
): MadeImage {
  const { b64Json, contentType } = outOfDataUrl(value);
  if (b64Json.length === 0) throw malformedAnswer('an empty picture');
  if (contentType === undefined) return { b64Json, ...reported };
  return { b64Json, ...otherMediaType(contentType, TYPES.get(requestedFormat) ?? '') };
}

/** Returns base64, or a data URL with it, without line breaks; undefined for other values. */
export function plainBase64(field: unknown): string | undefined {
  if (typeof field !== 'string') return undefined;
  const base64 = /\s/.test(field) ? field.replaceAll(/\s+/g, '') : field;
  return /^(?:data:[\w.+/;=-]+,)?[\w+/=-]*$/i.test(base64) ? base64 : undefined;
}

const TYPES = new Map([
  ['png', 'image/png'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['svg', 'image/svg+xml'],
]);

/** Returns the media type of a requested format. */
export function requestedType({ outputFormat }: Pick<ImageRequest, 'outputFormat'>): string {
  return TYPES.get(outputFormat) ?? '';
}

/** Returns the type that the vendor reports, if it differs from the requested one. */
export function otherType(reported: unknown, requested: string): Pick<MadeImage, 'mediaType'> {
  const mediaType = typeof reported === 'string' && reported !== requested ? TYPES.get(reported) : undefined;
  return { mediaType };
}

/** Converts the usage of the Image API to that of chat. Without details, all output tokens count as picture tokens. */
export function toUsage(reported: unknown, note: NoteRepair): OpenAiUsage | undefined {
  if (!isFields(reported)) return undefined;
  countsFromText(reported, note);
  const { input_tokens: prompt, output_tokens: completion, total_tokens: total } = reported;
  const [inDetail, outDetail] = [reported['input_tokens_details'], reported['output_tokens_details']];
  const body: { usage?: OpenAiUsage } = {
    usage: {
      prompt_tokens: prompt as number,
      completion_tokens: completion as number,
      ...(typeof total === 'number' ? { total_tokens: total } : {}),
      prompt_tokens_details: isFields(inDetail) ? inDetail : null,
      completion_tokens_details: isFields(outDetail) ? outDetail : { image_tokens: completion },
    },
  };
  // Invalid counts are dropped, as they are for a chat.
  repairUsage(body, note);
  return body.usage;
}
