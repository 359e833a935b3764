/** Parses data URLs. */

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)((?:;[\w=.+-]+)*?)(;base64)?,/i;

export interface DataUrl {
  mediaType: string;
  base64: string;
}

/**
 * Parses a data URL. Returns undefined for any other text and for a broken data URL. Base64 stays unchanged; the rare
 * other encoding is converted to base64.
 */
export function parseDataUrl(url: string): DataUrl | undefined {
  if (!url.startsWith('data:')) return undefined;
  const match = DATA_URL.exec(url.slice(0, 256));
  if (match === null) return undefined;
  const [head, mediaType = '', , isBase64] = match;
  const rest = url.slice(head.length);
  if (isBase64 !== undefined) return { mediaType, base64: rest };
  try {
    return { mediaType, base64: Buffer.from(decodeURIComponent(rest)).toString('base64') };
  } catch {
    return undefined;
  }
}
