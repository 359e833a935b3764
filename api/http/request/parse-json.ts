/** Parses request bodies as JSON, and rejects those whose structure is too large. */
import { isUtf8 } from 'node:buffer';
import { invalidRequest } from '../../../domain/errors.ts';
import type { JsonLimits } from './json-limits.ts';
import { rejectOversizedJson, rejectOversizedValue } from './reject-oversized-json.ts';

/** Parsing a body of up to this size is fast for every structure. */
const SMALL_BODY_BYTES = 64 * 1024;

/**
 * Parses a request body once. A small body is examined after parsing, which costs least. A large body is examined
 * before, because its structure could make parsing slow, and again only if it has very many commas. If a name is
 * repeated, the last value counts.
 */
export function parseJson(bytes: Buffer, limits: JsonLimits): unknown {
  if (bytes.length <= SMALL_BODY_BYTES) {
    const body = parse(bytes);
    rejectOversizedValue(body, limits.maxEntries);
    return body;
  }
  const commas = rejectOversizedJson(bytes, limits);
  const body = parse(bytes);
  // A list or object with too many entries has at least this many commas.
  if (commas >= limits.maxEntries) rejectOversizedValue(body, limits.maxEntries);
  return body;
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
