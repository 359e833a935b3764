import { MAX_DEPTH, MAX_OBJECTS, tooMany } from './refuse-sprawl.ts';

/** What parsing less than that costs does not matter, whatever it is. */
const SMALL_BODY_BYTES = 64 * 1024;

export interface TangleLimits {
  maxDepth: number;
  /** Lists and objects, in all. */
  maxObjects: number;
  /** Fields of objects and entries of lists, in all, as far as commas tell. */
  maxCommas: number;
}

/** Resources nest four levels deep; the rest is room for extensions. */
const MAX_SCIM_DEPTH = 20;

/**
 * By the limit that holds for the size of a body. What is configured has a few thousand parts at most; conversations
 * and what is to be embedded may have far more.
 */
export const TANGLE_LIMITS: Readonly<Record<'default' | 'generation' | 'scim', TangleLimits>> = {
  default: { maxDepth: MAX_DEPTH, maxObjects: 20_000, maxCommas: 20_000 },
  generation: { maxDepth: MAX_DEPTH, maxObjects: MAX_OBJECTS, maxCommas: Infinity },
  // A group of 100,000 members has an object for each, of up to five fields.
  scim: { maxDepth: MAX_SCIM_DEPTH, maxObjects: MAX_OBJECTS, maxCommas: 1_000_000 },
};

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Refuses a large body for what would make parsing it slow, before it is parsed: a megabyte of nothing but brackets,
 * or of fields that all have different names, takes ten times as long as one of text. It looks at brackets, commas and
 * the ends of strings only; whether it is JSON at all is for the parser to say.
 */
export function refuseTangle(bytes: Buffer, { maxDepth, maxObjects, maxCommas }: TangleLimits): void {
  if (bytes.length <= SMALL_BODY_BYTES) return;
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
        if (depth > maxDepth) throw tooMuch(`must not be nested deeper than ${maxDepth} levels`);
        if (objects > maxObjects) throw tooMuch(`must have at most ${maxObjects} objects and lists`);
        break;
      case LIST_END:
      case OBJECT_END:
        depth -= 1;
        break;
      case COMMA:
        commas += 1;
        if (commas > maxCommas) throw tooMuch(`must have at most ${maxCommas} fields and entries in all`);
        break;
      default:
    }
  }
}

function tooMuch(message: string): Error {
  return tooMany('body', message);
}

/** Looking for the next quote at once pays where it is farther away. */
const NEAR_BYTES = 64;

/** Where the quote is that ends the string whose text begins at `from`; the end of all bytes when none does. */
function endOfString(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length) {
    for (const far = at + NEAR_BYTES; at < far; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) return at;
      // What follows is only a letter of the text, a quote too.
      if (byte === BACKSLASH) at += 1;
    }
    const quote = bytes.indexOf(QUOTE, at);
    if (quote === -1) return bytes.length;
    if (!isEscaped(bytes, at, quote)) return quote;
    at = quote + 1;
  }
  return bytes.length;
}

/** By an odd number of backslashes between `from`, where the text is plain, and the quote. */
function isEscaped(bytes: Buffer, from: number, quote: number): boolean {
  let before = quote;
  while (before > from && bytes[before - 1] === BACKSLASH) before -= 1;
  return (quote - before) % 2 === 1;
}
