/** Examines the structure of a JSON body in one pass over its bytes, before it is parsed. */
import { AppError } from '../../../domain/errors.ts';
import { endOfJsonString } from '../../../platform/end-of-json-string.ts';
import type { JsonLimits } from './json-limits.ts';

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
export function rejectOversizedJson(bytes: Buffer, limits: JsonLimits): void {
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
