/** Translates the content parts of a chat message to Gemini's parts. */
import { type Fields, isFields, textOf } from '../../domain/fields.ts';
import type { UnsupportedFields } from '../../domain/unsupported-fields.ts';
import { parseDataUrl } from '../data-url.ts';

/** Returns a message's content as Gemini's parts. `path` is the message's path in the request. */
export function partsOf(content: unknown, path: string, unsupported: UnsupportedFields): Fields[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  if (!Array.isArray(content)) return [];
  return content.map((part, i) => toPart(isFields(part) ? part : {}, `${path}.content.${i}`, unsupported));
}

function toPart(part: Fields, path: string, unsupported: UnsupportedFields): Fields {
  switch (part['type']) {
    case 'text':
      return { text: textOf(part['text']) };
    case 'refusal':
      return { text: textOf(part['refusal']) };
    case 'image_url':
    case 'video_url':
      return ofUrl(inner(part, part['type']), 'url', `${path}.${part['type']}`, unsupported);
    case 'file':
      return ofUrl(inner(part, 'file'), 'file_data', `${path}.file`, unsupported);
    case 'input_audio':
      return ofAudio(inner(part, 'input_audio'), path, unsupported);
    default:
      unsupported.addName(`${path}.type`, part['type']);
      return part;
  }
}

function inner(part: Fields, name: string): Fields {
  return isFields(part[name]) ? part[name] : {};
}

/** Returns the part of a medium in a data URL; undefined for any other text. */
export function inlinePart(url: string): Fields | undefined {
  const inline = parseDataUrl(url);
  return inline && { inlineData: { mimeType: inline.mediaType, data: inline.base64 } };
}

/** The gateway has replaced URLs by the media themselves, but for those of Google's own file store. */
function ofUrl(medium: Fields, name: string, path: string, unsupported: UnsupportedFields): Fields {
  const url = textOf(medium[name]);
  const inline = inlinePart(url);
  if (inline !== undefined) return inline;
  if (/^(gs|https):/.test(url)) return { fileData: { fileUri: url } };
  unsupported.add(
    `${path}.${name}`,
    'must be a data URL, or a file of Google, for the provider of this model',
  );
  return {};
}

/** The types of sound that a chat names by their formats. */
const SOUND_TYPES: Record<string, string> = {
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
};

function ofAudio({ data, format }: Fields, path: string, unsupported: UnsupportedFields): Fields {
  const mimeType = SOUND_TYPES[textOf(format)];
  if (mimeType === undefined) unsupported.addName(`${path}.input_audio.format`, format);
  return { inlineData: { mimeType, data: parseDataUrl(textOf(data))?.base64 ?? data } };
}
