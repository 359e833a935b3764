/** Finds the ends of strings in JSON that is not parsed. */
const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** The distance above which a native search for the next quote is faster than a loop. */
const NEAR_BYTES = 64;

/**
 * Returns the index of the quote that ends the string whose text begins at `from`; without such a quote, the length of
 * the body.
 */
export function endOfJsonString(bytes: Buffer, from: number): number {
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
