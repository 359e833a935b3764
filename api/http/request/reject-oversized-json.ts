import { AppError } from '../../../domain/errors.ts';
import { type JsonLimits, MAX_DEPTH } from './json-limits.ts';

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Rejects JSON whose structure makes it slow to parse: a megabyte of brackets, or of fields with different names, takes
 * ten times as long as a megabyte of text. Looks only at brackets, commas and the ends of strings, and leaves syntax
 * errors to the parser. Returns the number of commas outside of strings.
 */
export function rejectOversizedJson(bytes: Buffer, { maxDepth, maxObjects, maxCommas }: JsonLimits): number {
  let depth = 0;
  let objects = 0;
  let commas = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfString(bytes, at + 1);
        break;
      case LIST:
      case OBJECT:
        depth += 1;
        objects += 1;
        if (depth > maxDepth) throw tooDeep(maxDepth);
        if (objects > maxObjects) throw oversized('body', `${maxObjects} objects and lists`);
        break;
      case LIST_END:
      case OBJECT_END:
        depth -= 1;
        break;
      case COMMA:
        commas += 1;
        if (commas > maxCommas) throw oversized('body', `${maxCommas} fields and entries in all`);
        break;
      default:
    }
  }
  return commas;
}

/** The distance above which a native search for the next quote is faster than a loop. */
const NEAR_BYTES = 64;

/**
 * Returns the index of the quote that ends the string whose text begins at `from`; without such a quote, the length of
 * the body.
 */
function endOfString(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length) {
    for (const far = at + NEAR_BYTES; at < far; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) return at;
      // Skips the escaped character, which may be a quote.
      if (byte === BACKSLASH) at += 1;
    }
    const quote = bytes.indexOf(QUOTE, at);
    if (quote === -1) return bytes.length;
    if (!isEscaped(bytes, at, quote)) return quote;
    at = quote + 1;
  }
  return bytes.length;
}

/**
 * Returns whether an odd number of backslashes precedes the quote. `from` is never inside an escape, so the count stops
 * there.
 */
function isEscaped(bytes: Buffer, from: number, quote: number): boolean {
  let before = quote;
  while (before > from && bytes[before - 1] === BACKSLASH) before -= 1;
  return (quote - before) % 2 === 1;
}

/**
 * Rejects a parsed body that is nested too deeply, or has a list or object with too many entries. Otherwise a schema
 * would report an issue for each of a million wrong entries.
 */
export function rejectOversizedValue(body: unknown, maxEntries: number): void {
  if (typeof body !== 'object' || body === null) return;
  const path = findOversized(body, maxEntries, 0);
  if (path !== undefined) throw oversized(`body${path}`, `${maxEntries} entries`);
}

/** Returns the path to the first list or object with too many entries. Builds the path only after finding it. */
function findOversized(value: object, maxEntries: number, depth: number): string | undefined {
  if (depth > MAX_DEPTH) throw tooDeep(MAX_DEPTH);
  return Array.isArray(value)
    ? findInList(value, maxEntries, depth)
    : findInObject(value as Record<string, unknown>, maxEntries, depth);
}

function findInList(list: unknown[], maxEntries: number, depth: number): string | undefined {
  if (list.length > maxEntries) return '';
  for (let index = 0; index < list.length; index += 1) {
    const child = list[index];
    if (typeof child !== 'object' || child === null) continue;
    const path = findOversized(child, maxEntries, depth + 1);
    if (path !== undefined) return `.${index}${path}`;
  }
  return undefined;
}

function findInObject(
  object: Record<string, unknown>,
  maxEntries: number,
  depth: number,
): string | undefined {
  let entries = 0;
  for (const name in object) {
    entries += 1;
    if (entries > maxEntries) return '';
    const child = object[name];
    if (typeof child !== 'object' || child === null) continue;
    const path = findOversized(child, maxEntries, depth + 1);
    if (path !== undefined) return `.${name}${path}`;
  }
  return undefined;
}

function tooDeep(maxDepth: number): AppError {
  return rejection('body', `must not be nested deeper than ${maxDepth} levels`);
}

function oversized(path: string, most: string): AppError {
  return rejection(path, `must have at most ${most}`);
}

/** Returns the 400 for a body whose structure is too large, with SCIM's name for it. */
function rejection(path: string, message: string): AppError {
  return new AppError('invalid_request', { issues: [{ path, message }], scimType: 'tooMany' });
}
