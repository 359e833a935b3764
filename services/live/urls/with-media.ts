import type { Fields } from '../../../domain/fields.ts';
import type { FetchedMedia } from './fetch-media.ts';
import type { UrlPlace } from './url-places.ts';

/**
 * Returns a copy of the body with media in place of their URLs. The copy shares all else with the body, which is not
 * changed.
 */
export function withMedia<Body>(
  body: Body,
  places: readonly UrlPlace[],
  media: readonly FetchedMedia[],
): Body {
  let copy: unknown = body;
  for (const [i, place] of places.entries()) copy = replaced(copy, place, media[i]!, 0);
  return copy as Body;
}

function replaced(value: unknown, place: UrlPlace, media: FetchedMedia, depth: number): unknown {
  const key = place.path[depth]!;
  if (depth === place.path.length - 1) {
    if (Array.isArray(value)) return value.with(key as number, dataUrlOf(media));
    return inlined(value as Fields, place, media);
  }
  if (Array.isArray(value)) {
    return value.with(key as number, replaced(value[key as number], place, media, depth + 1));
  }
  return { ...(value as Fields), [key]: replaced((value as Fields)[key], place, media, depth + 1) };
}

/** Returns the object that held the URL, with the media in the form of its dialect. */
function inlined(holder: Fields, { path, url }: UrlPlace, media: FetchedMedia): Fields {
  const { mediaType, base64 } = media;
  const name = path.at(-1) as string;
  const dataUrl = dataUrlOf(media);
  if (path.at(-2) === 'source') return { type: 'base64', media_type: mediaType, data: base64 };
  if (path.at(-2) === 'input_audio') return { ...holder, data: base64 };
  if (name !== 'file_url') return { ...holder, [name]: dataUrl };
  const { file_url: _, ...file } = holder;
  return { ...file, filename: file['filename'] ?? fileName(url), file_data: dataUrl };
}

function dataUrlOf({ mediaType, base64 }: FetchedMedia): string {
  return `data:${mediaType};base64,${base64}`;
}

/** Returns a name for a file, which OpenAI's dialects require together with its bytes. */
function fileName(url: string): string {
  return new URL(url).pathname.split('/').at(-1) || 'file';
}
