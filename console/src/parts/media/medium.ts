/** Recognizes pictures and sounds in parts of messages. A value that is neither stays what it is: text. */

/** A picture or a sound that its part contains, a file elsewhere, which the console only links to, or other text. */
export interface Medium {
  kind: 'picture' | 'sound' | 'link' | 'text';
  /** The address of the file. */
  url: string;
}

/** The fields of parts that name a file: by a text, or by an object with the second field. */
const FIELDS = [
  ['image_url', 'url'],
  ['input_audio', 'data'],
] as const;

/** Returns the file of a part of a message; undefined if the part has none. */
export function mediumOf(part: unknown): Medium | undefined {
  for (const [outer, inner] of FIELDS) {
    const file = fieldOf(part, outer);
    const url = typeof file === 'string' ? file : fieldOf(file, inner);
    if (typeof url !== 'string') continue;
    const format = fieldOf(file, 'format');
    const isBare = outer === 'input_audio' && typeof format === 'string' && BASE64.test(url);
    return mediumAt(isBare ? `data:audio/${format};base64,${url}` : url);
  }
  return undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

const BASE64 = /^[\w+/]+={0,2}$/;
const DATA_URL = /^data:(?<kind>image|audio)\/[\w.+-]{1,64};base64,[\w+/]+={0,2}$/i;

function mediumAt(url: string): Medium {
  const kind = DATA_URL.exec(url)?.groups?.['kind']?.toLowerCase();
  if (kind !== undefined) return { kind: kind === 'image' ? 'picture' : 'sound', url };
  return { kind: /^https?:\/\//i.test(url) && URL.canParse(url) ? 'link' : 'text', url };
}
