/**
 * The URL of a picture, sound or video as everything behind the API expects it: scheme, type and encoding of a
 * base64 data URL may come in any case and leave in lower case. Other URLs stay as they are.
 */
export function spellMediaUrl(url: string): string {
  const [head, type = '', parameters = ''] = /^data:([^;,]*)([^,]*);base64,/i.exec(url) ?? [];
  if (head === undefined) return url;
  return `data:${type.toLowerCase()}${parameters};base64,${url.slice(head.length)}`;
}
