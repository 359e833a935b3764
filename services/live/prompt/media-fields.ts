/** Lists the fields of a part that hold a medium: for measuring a prompt, and for finding the URLs in it. */

export type MediaKind = 'image' | 'video' | 'audio' | 'file';

/**
 * The fields of a part that hold URLs for upstreams. They count in parts of any `type`, because some servers of
 * OpenAI's wire read the field without the type. The URL is the field's text, or its `url`.
 */
export const URL_FIELDS: readonly (readonly [name: string, medium: MediaKind])[] = [
  ['image_url', 'image'],
  ['video_url', 'video'],
  ['audio_url', 'audio'],
  ['file_url', 'file'],
  ['document_url', 'file'],
];

/**
 * The fields of a part that normally hold base64 or a data URL, alone, in a list or among other fields. Some servers
 * accept a URL there. Alibaba's Qwen reads `image`, `video` and `audio`, and a list of pictures in `video`.
 */
export const BYTE_FIELDS: readonly (readonly [name: string, medium: MediaKind])[] = [
  ['input_audio', 'audio'],
  ['file', 'file'],
  ['file_data', 'file'],
  ['image', 'image'],
  ['video', 'video'],
  ['audio', 'audio'],
];

/** The medium of each field that holds one. */
export const MEDIUM_OF_FIELD: ReadonlyMap<string, MediaKind> = new Map([
  ...URL_FIELDS,
  ...BYTE_FIELDS,
  ['file_id', 'file'] as const,
]);

/** Fields that hold text, which may begin with a URL that nobody fetches. */
const TEXT_FIELDS: ReadonlySet<string> = new Set(
  `text thinking refusal reasoning reasoning_content name arguments input title context query queries code transcript
  prompt revised_prompt description error server_label content output summary stdout stderr system instructions
  instruction stop stop_sequences suffix negative_prompt documents texts filename search_domain_filter`.split(
    /\s+/,
  ),
);
/** Types of parts that only say where a text was found, in these fields. */
const FOUND_TEXTS: ReadonlySet<unknown> = new Set(['search_result', 'web_search_result', 'web_fetch_result']);
const PLACES_OF_TEXT: ReadonlySet<string> = new Set(['url', 'source']);

/** Returns whether the text begins with a URL that an upstream could fetch. */
export function isWebUrl(text: string): boolean {
  return /^\s*https?:/i.test(text);
}

/** Returns whether a field of an object with this `type` holds text, which may begin with a URL. */
export function holdsText(type: unknown, name: string): boolean {
  if (TEXT_FIELDS.has(name)) return true;
  return name === 'data' ? type === 'text' : PLACES_OF_TEXT.has(name) && FOUND_TEXTS.has(type);
}

/** Returns whether an unknown server could fetch what stands in a field of a part, which is not listed above. */
export function mayBeFetched(type: unknown, name: string, value: unknown): boolean {
  if (holdsText(type, name)) return false;
  if (typeof value === 'string') return isWebUrl(value);
  return Array.isArray(value) && value.some((each) => typeof each === 'string' && isWebUrl(each));
}
