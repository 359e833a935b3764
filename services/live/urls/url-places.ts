/** Finds the URLs in a request that an upstream would fetch. */
import { type Fields, isFields } from '../../../domain/fields.ts';
import { BYTE_FIELDS, type MediaKind, URL_FIELDS } from '../prompt/media-fields.ts';
import type { PromptFacts } from '../prompt/prompt-facts.ts';
import type { RoutableBody } from '../../routing/routable-body.ts';

/** A place in a request's body where the caller names a URL for the upstream to fetch. */
export interface UrlPlace {
  /** The keys from the body to the URL. */
  path: readonly (string | number)[];
  url: string;
  kind: MediaKind;
}

/**
 * The fields that hold other parts. A tool's arguments are not among them, because no upstream fetches URLs in them.
 */
const HOLDERS = ['content', 'output', 'source', 'images'];

/**
 * Returns the URLs in the named fields of a body; undefined if there are none. A field that the body lacks is read from
 * the caller's options for each provider. A text-only request without such options is not searched.
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
    for (const [name, kind] of URL_FIELDS) addUrl(places, value[name], [...path, name], kind);
    for (const [name, kind] of BYTE_FIELDS) addBytes(places, value[name], [...path, name], kind);
    if (value['type'] === 'image_generation_call')
      addBytes(places, value['result'], [...path, 'result'], 'image');
    addSource(places, value, path);
    for (const name of HOLDERS) {
      if (value[name] !== undefined) addPlaces(places, value[name], [...path, name]);
    }
  }
}

function addUrl(places: UrlPlace[], value: unknown, path: Path, kind: MediaKind): void {
  if (Array.isArray(value)) for (const [i, each] of value.entries()) addUrl(places, each, [...path, i], kind);
  else if (isFields(value)) addUrl(places, value['url'], [...path, 'url'], kind);
  else if (typeof value === 'string' && !/^\s*data:/i.test(value)) places.push({ path, url: value, kind });
}

/** Adds URLs in a field that normally holds base64 or a data URL. */
function addBytes(places: UrlPlace[], value: unknown, path: Path, kind: MediaKind): void {
  if (Array.isArray(value))
    for (const [i, each] of value.entries()) addBytes(places, each, [...path, i], kind);
  else if (isFields(value)) {
    for (const name of ['data', 'file_data']) addBytes(places, value[name], [...path, name], kind);
    for (const name of ['url', 'file_url']) addUrl(places, value[name], [...path, name], kind);
  } else if (hasScheme(value)) addUrl(places, value, path, kind);
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
