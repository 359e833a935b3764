/** Detects the media type of a downloaded file. */
import type { MediaKind } from '../prompt/media-fields.ts';

/** The first bytes of files of well-known types, in Latin-1, at an offset. */
const SIGNATURES: readonly [kind: MediaKind, type: string, offset: number, start: string][] = [
  ['image', 'image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image', 'image/jpeg', 0, '\xff\xd8\xff'],
  ['image', 'image/gif', 0, 'GIF8'],
  ['image', 'image/webp', 8, 'WEBP'],
  ['video', 'video/mp4', 4, 'ftyp'],
  ['video', 'video/webm', 0, '\x1a\x45\xdf\xa3'],
  ['audio', 'audio/wav', 8, 'WAVE'],
  ['audio', 'audio/mpeg', 0, 'ID3'],
  ['audio', 'audio/ogg', 0, 'OggS'],
  ['audio', 'audio/flac', 0, 'fLaC'],
  ['file', 'application/pdf', 0, '%PDF-'],
];

/** The largest number of bytes that a signature needs. */
const HEAD_BYTES = 12;

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

/**
 * Returns the media type of bytes of a kind of media. Reads the first bytes, because many file hosts send a wrong type.
 * Falls back to the host's type. Undefined when the bytes are not of this kind. A file may have any type.
 */
export function mediaTypeOf(
  bytes: Buffer,
  contentType: string | undefined,
  kind: MediaKind,
): string | undefined {
  const head = bytes.toString('latin1', 0, HEAD_BYTES);
  const known = SIGNATURES.find(([of, , offset, start]) => of === kind && head.startsWith(start, offset));
  if (known !== undefined) return known[1];
  const type = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (kind === 'file') return MEDIA_TYPE.test(type) ? type : 'application/octet-stream';
  return MEDIA_TYPE.test(type) && type.startsWith(`${kind}/`) ? type : undefined;
}
