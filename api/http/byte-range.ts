import type { ByteRange } from '../../services/videos/open-output.ts';

/**
 * Parses a `Range` header for a file of `bytes` (RFC 9110, 14.2). Returns undefined if the whole file must be sent:
 * without a header, and for other units, several ranges and malformed values.
 */
export function parseByteRange(
  header: string | undefined,
  bytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '');
  if (match === null) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  if (first === '') return suffixOf(Number(last), bytes);
  const start = Number(first);
  const end = last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= bytes ? 'unsatisfiable' : { start, end };
}

/** Returns the range of a suffix. A suffix longer than the file is the whole file. */
function suffixOf(length: number, bytes: number): ByteRange | 'unsatisfiable' {
  if (length === 0 || bytes === 0) return 'unsatisfiable';
  return { start: Math.max(0, bytes - length), end: bytes - 1 };
}
