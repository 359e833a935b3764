/**
 * Normalizes the URL of a media file: scheme, type and encoding of a base64 data URL become lower case. Other URLs stay
 * as they are.
 */
export function normalizeMediaUrl(url: string): string {
  const [head, type = '', parameters = ''] = /^data:([^;,]*)([^,]*);base64,/i.exec(url) ?? [];
  if (head === undefined) return url;
  return `data:${type.toLowerCase()}${parameters};base64,${url.slice(head.length)}`;
}
