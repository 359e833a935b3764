/** Fields of message parts that hold a file's bytes, in any encoding. */
const MEDIA_FIELDS = new Set(['data', 'file_data', 'b64_json']);
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)[;,]/;
/**
 * Matches a data URL within other text, such as a picture in Markdown. Each repetition is bounded, so that no text
 * makes it slow.
 */
const EMBEDDED_DATA_URL = /data:([\w.+-]{1,64}\/[\w.+-]{1,64})(?:;[\w=.+-]{1,64}){0,4};base64,[\w+/=-]*/gi;

/** Returns a copy of plain JSON without media. The copy shares texts with the original. */
export function withoutMedia(value: unknown): unknown {
  if (typeof value === 'string') return withoutDataUrl(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutMedia);
  const copy: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    copy[name] = MEDIA_FIELDS.has(name) && typeof field === 'string' ? REMOVED : withoutMedia(field);
  }
  return copy;
}

/** Removes data URLs within a text, also within JSON, where none of their characters is escaped. */
export function withoutEmbeddedMedia(text: string): string {
  return text.replaceAll(EMBEDDED_DATA_URL, (_url, type: string) => removed(type));
}

function withoutDataUrl(text: string): string {
  // Most texts are no data URLs. Skip the regular expression for them.
  if (!text.startsWith('data:')) return text;
  const type = DATA_URL.exec(text)?.[1];
  return type === undefined ? text : removed(type);
}

const REMOVED = '[removed]';

function removed(type: string): string {
  return `[${type} removed]`;
}
