/** Parses request bodies as JSON, and rejects those whose structure is too large. */
import { isUtf8 } from 'node:buffer';
import { invalidRequest } from '../../../domain/errors.ts';
import type { JsonLimits } from './json-limits.ts';
import { rejectOversizedJson } from './reject-oversized-json.ts';

/**
 * Parses a request body once, after examining its structure, which could make parsing slow. If a name is repeated, the
 * last value counts.
 */
export function parseJson(bytes: Buffer, limits: JsonLimits): unknown {
  rejectOversizedJson(bytes, limits);
  return parse(bytes);
}

/** Parses bytes as JSON. `__proto__` becomes an ordinary name, which no schema allows. */
function parse(bytes: Buffer): unknown {
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
