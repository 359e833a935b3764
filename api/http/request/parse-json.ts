import { isUtf8 } from 'node:buffer';
import { invalidRequest } from '../../../domain/errors.ts';

/** Parses once. The last of duplicate names counts; `__proto__` is an ordinary name that no schema knows. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw invalidRequest({ path: 'body', message: 'must not be empty' });
  if (!isUtf8(bytes)) throw invalidRequest({ path: 'body', message: 'must be UTF-8' });
  try {
    return JSON.parse(withoutByteOrderMark(bytes.toString('utf8')));
  } catch {
    throw invalidRequest({ path: 'body', message: 'must be well-formed JSON' });
  }
}

function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
