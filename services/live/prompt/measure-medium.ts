/** Finds the media in the parts of a conversation, and adds their tokens. */
import type { Modality } from '../../../domain/modality.ts';
import { type Fields, isFields } from '../../../domain/fields.ts';
import { isWebUrl, MEDIUM_OF_FIELD, type MediaKind } from './media-fields.ts';
import {
  TOKENS_PER_MEDIUM,
  tokensOfFile,
  tokensOfSound,
  tokensOfUnknown,
  tokensOfVideo,
} from './media-tokens.ts';
import { addText, addTokens, addValue, type PromptSize } from './prompt-size.ts';

/** The fields of a medium that hold its bytes or its URL. */
const DATA: ReadonlySet<string> = new Set(['url', 'data', 'file_data', 'file_url']);
/** The fields of a medium whose values no model reads. */
const LABELS: ReadonlySet<string> = new Set([
  'type',
  'media_type',
  'mime_type',
  'format',
  'detail',
  'file_id',
]);
/** The types of a source in Anthropic's dialect that hold a medium. A source may also hold text or parts. */
const SOURCES: ReadonlySet<unknown> = new Set(['base64', 'url', 'file']);

/**
 * Adds the medium in a field of a part, and returns true; returns false when the field holds none. `addParts` adds
 * parts that stand in the field.
 */
export function addMedium(
  size: PromptSize,
  part: Fields,
  name: string,
  addParts: (size: PromptSize, value: unknown) => void,
): boolean {
  const value = part[name];
  if (name === 'source' && isFields(value)) {
    size.hasMedia = true;
    size.modalities.add(part['type'] === 'image' ? 'image' : 'file');
    if (SOURCES.has(value['type'])) addMediumIn(size, part['type'] === 'image' ? 'image' : 'file', value);
    else {
      for (const field in value) {
        addText(size, field, false);
        if (field === 'content') addParts(size, value[field]);
        else addValue(size, value[field], !LABELS.has(field));
      }
    }
    return true;
  }
  const isPicture = name === 'result' && part['type'] === 'image_generation_call';
  const medium = isPicture ? 'image' : MEDIUM_OF_FIELD.get(name);
  if (medium === undefined || value === null) return false;
  addMediumIn(size, medium, value, isPicture);
  return true;
}

/** Adds a medium of a kind that the request names without its bytes or its URL. */
export function addUnknownMedium(size: PromptSize, medium: Modality): void {
  size.hasMedia = true;
  if (medium === 'image') addPicture(size);
  else addTokens(medium === 'audio' ? size.audio : size.media, tokensOfUnknown());
}

/** Adds the medium in a field: its bytes or its URL, alone, in a list or among other fields. */
function addMediumIn(size: PromptSize, medium: MediaKind, value: unknown, isBase64 = false): void {
  if (Array.isArray(value)) {
    for (const each of value as unknown[]) addMediumIn(size, medium, each, isBase64);
    return;
  }
  size.hasMedia = true;
  size.modalities.add(medium);
  if (typeof value === 'string') return addData(size, medium, value, { isBase64 });
  if (!isFields(value)) return addValue(size, value, true);
  let hasData = false;
  for (const name in value) {
    const content = value[name];
    addText(size, name, false);
    if (typeof content !== 'string' || !DATA.has(name)) addValue(size, content, !LABELS.has(name));
    else {
      hasData = true;
      addData(size, medium, content, { isBase64: value['type'] === 'base64', format: value['format'] });
    }
  }
  if (!hasData) addUnknownMedium(size, medium);
}

function addData(
  size: PromptSize,
  medium: MediaKind,
  data: string,
  { isBase64, format }: { isBase64: boolean; format?: unknown },
): void {
  if (isWebUrl(data)) {
    addText(size, data, false);
    addUnknownMedium(size, medium);
  } else if (!looksLikeBytes(data)) addText(size, data, true);
  else if (medium === 'image' && (isBase64 || data.startsWith('data:'))) addPicture(size);
  else if (medium === 'audio') addTokens(size.audio, tokensOfSound(data, format));
  else addTokens(size.media, medium === 'video' ? tokensOfVideo(data) : tokensOfFile(data));
}

/** A part of base64, in any of its alphabets. */
const BASE64 = /^[\w+/=-]*$/;
const SAMPLE = 64;

/** Returns whether the text is a data URL or base64, by its beginning and its end. Other text is read by a model. */
function looksLikeBytes(data: string): boolean {
  const bytes = data.startsWith('data:') ? data.slice(data.indexOf(',') + 1) : data;
  return BASE64.test(bytes.slice(0, SAMPLE)) && BASE64.test(bytes.slice(-SAMPLE));
}

function addPicture(size: PromptSize): void {
  size.images += 1;
  size.media.usual += TOKENS_PER_MEDIUM;
}
