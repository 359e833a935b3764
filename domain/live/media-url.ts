/** Spells media types, and the data URLs that contain them, as vendors expect them. */

/** Returns a media type in lower case. `image/jpg` is common, but only `image/jpeg` is registered. */
export function registeredType(mediaType: string): string {
  const type = mediaType.toLowerCase();
  return type === 'image/jpg' ? 'image/jpeg' : type;
}

/** Returns the URL of a media file with `image/jpeg` for `image/jpg`. Other URLs stay the same. */
export function registeredUrl(url: string): string {
  const [head] = /^data:image\/jpg(?=[;,])/i.exec(url) ?? [];
  return head === undefined ? url : `data:image/jpeg${url.slice(head.length)}`;
}

/**
 * Normalizes the URL of a media file: scheme, type and encoding of a base64 data URL become lower case, and the type a
 * registered one. Other URLs stay as they are.
 */
export function normalizeMediaUrl(url: string): string {
  const [head, type = '', parameters = ''] = /^data:([^;,]*)([^,]*);base64,/i.exec(url) ?? [];
  if (head === undefined) return url;
  return `data:${registeredType(type)}${parameters};base64,${url.slice(head.length)}`;
}
