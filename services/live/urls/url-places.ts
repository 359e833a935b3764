/** Finds the URLs in a request that an upstream would fetch. */
import { type Fields, isFields } from '../dialects/fields.ts';
import type { PromptFacts } from '../prompt/prompt-facts.ts';
import type { RoutableBody } from '../../routing/routable-body.ts';

/** A place in a request's body where the caller names a URL for the upstream to fetch. */
export interface UrlPlace {
  /** The keys from the body to the URL. */
  path: readonly (string | number)[];
  url: string;
  kind: MediaKind;
}

export type MediaKind = 'image' | 'video' | 'audio' | 'file';

/**
 * The fields of a part that hold URLs for upstreams. They count in parts of any `type`, because some servers of
 * OpenAI's wire read the field without the type. The URL is the field's text, or its `url`.
 */
const URL_FIELDS: readonly [name: string, kind: MediaKind][] = [
  ['image_url', 'image'],
  ['video_url', 'video'],
  ['audio_url', 'audio'],
  ['file_url', 'file'],
  ['document_url', 'file'],
];

/** The names of the fields that hold URLs of media. */
export const URL_FIELD_NAMES: ReadonlySet<string> = new Set(URL_FIELDS.map(([name]) => name));

/**
 * The fields that hold other parts. A tool's arguments are not among them, because no upstream fetches URLs in them.
 */
const HOLDERS = ['content', 'output', 'source', 'images'];

/**
 * Returns the places of URLs in the named fields of a request. Reads the caller's options for one provider where the
 * request lacks the field. Undefined when there are none. Does not search a prompt that is only text.
 */
export function urlsIn(
  body: RoutableBody,
  { hasMedia }: Pick<PromptFacts, 'hasMedia'>,
  names: readonly string[],
): UrlPlace[] | undefined {
  const options = body.provider?.options;
  if (!hasMedia && !options) return undefined;
  const places: UrlPlace[] = [];
  for (const name of names) {
    if (name in body) addPlaces(places, body[name], [name]);
    else
      for (const slug in options) {
        addPlaces(places, options[slug]?.[name], ['provider', 'options', slug, name]);
      }
  }
  return places.length === 0 ? undefined : places;
}

type Path = UrlPlace['path'];

function addPlaces(places: UrlPlace[], value: unknown, path: Path): void {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) addPlaces(places, each, [...path, index]);
  } else if (isFields(value)) {
    for (const [name, kind] of URL_FIELDS) {
      if (value[name] !== undefined) addUrl(places, value[name], [...path, name], kind);
    }
    addBytes(places, value, path);
    addSource(places, value, path);
    for (const name of HOLDERS) {
      if (value[name] !== undefined) addPlaces(places, value[name], [...path, name]);
    }
  }
}

function addUrl(places: UrlPlace[], held: unknown, path: Path, kind: MediaKind): void {
  if (isFields(held)) addUrl(places, held['url'], [...path, 'url'], kind);
  else if (typeof held === 'string' && !/^\s*data:/i.test(held)) places.push({ path, url: held, kind });
}

/**
 * Adds URLs in fields that normally hold base64 or a data URL: a chat's file and sound, and a picture that a model
 * made. Some servers accept a URL there.
 */
function addBytes(places: UrlPlace[], { type, file, input_audio: sound, result }: Fields, path: Path): void {
  const { file_data: data, file_url: url } = isFields(file) ? file : {};
  if (hasScheme(data)) addUrl(places, data, [...path, 'file', 'file_data'], 'file');
  addUrl(places, url, [...path, 'file', 'file_url'], 'file');
  if (isFields(sound) && hasScheme(sound['data']))
    addUrl(places, sound['data'], [...path, 'input_audio', 'data'], 'audio');
  if (type === 'image_generation_call' && hasScheme(result))
    addUrl(places, result, [...path, 'result'], 'image');
}

/** Returns whether the text begins with a URL's scheme; base64 has no colon. */
function hasScheme(data: unknown): boolean {
  return typeof data === 'string' && /^\s*[a-z][\w+.-]*:/i.test(data);
}

/** Adds the source of an image or a document in Anthropic's dialect. */
function addSource(places: UrlPlace[], { type, source }: Fields, path: Path): void {
  if (!isFields(source) || source['type'] !== 'url') return;
  addUrl(places, source['url'], [...path, 'source', 'url'], type === 'image' ? 'image' : 'file');
}
