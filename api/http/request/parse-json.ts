/** Parses request bodies as JSON, and rejects those whose structure is too large. */
import { isUtf8 } from 'node:buffer';
import { AppError, invalidRequest } from '../../../domain/errors.ts';
import type { JsonLimits } from './json-limits.ts';
import { endOfJsonString } from '../../../platform/end-of-json-string.ts';

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

const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/** A list or object that is not closed yet. */
interface Container {
  /** The commas so far, which is the index of the current entry. */
  commas: number;
  /** The quotes around the name of the current entry of an object. In a list, both are -1. */
  nameFrom: number;
  nameTo: number;
}

/**
 * Rejects JSON whose structure makes it slow to parse or to validate. A megabyte of brackets, or of fields with
 * different names, takes ten times as long to parse as a megabyte of text. A schema would report an issue for each of a
 * million wrong entries. Looks only at brackets, commas, colons and strings, and leaves syntax errors to the parser.
 * A field counts as often as it is repeated.
 */
function rejectOversizedJson(bytes: Buffer, limits: JsonLimits): void {
  const { maxDepth, maxObjects, maxCommas, maxEntries } = limits;
  const open: Container[] = [];
  let inner: Container | undefined;
  let objects = 0;
  let commas = 0;
  let quote = -1;
  let endQuote = -1;
  for (let at = 0; at < bytes.length; at += 1) {
    switch (bytes[at]) {
      case QUOTE:
        quote = at;
        at = endQuote = endOfJsonString(bytes, at + 1);
        break;
      case COLON:
        if (inner !== undefined) [inner.nameFrom, inner.nameTo] = [quote, endQuote];
        break;
      case LIST:
      case OBJECT:
        objects += 1;
        if (open.length === maxDepth)
          throw rejection('body', `must not be nested deeper than ${maxDepth} levels`);
        if (objects > maxObjects) throw oversized('body', `${maxObjects} objects and lists`);
        inner = { commas: 0, nameFrom: -1, nameTo: -1 };
        open.push(inner);
        break;
      case LIST_END:
      case OBJECT_END:
        open.pop();
        inner = open.at(-1);
        break;
      case COMMA:
        commas += 1;
        if (commas > maxCommas) throw oversized('body', `${maxCommas} fields and entries in all`);
        if (inner === undefined) break;
        inner.commas += 1;
        if (inner.commas === maxEntries) throw oversized(pathOf(open, bytes), `${maxEntries} entries`);
        break;
      default:
    }
  }
}

/** Returns the path to the innermost open list or object. */
function pathOf(open: Container[], bytes: Buffer): string {
  const segments = open.slice(0, -1).map(({ commas, nameFrom, nameTo }) => {
    return nameFrom === -1 ? String(commas) : bytes.toString('utf8', nameFrom + 1, nameTo);
  });
  return ['body', ...segments].join('.');
}

function oversized(path: string, most: string): AppError {
  return rejection(path, `must have at most ${most}`);
}

/** Returns the 400 for a body whose structure is too large, with SCIM's name for it. */
function rejection(path: string, message: string): AppError {
  return new AppError('invalid_request', { issues: [{ path, message }], scimType: 'tooMany' });
}
