/** Matches escapes that JSON allows and Postgres cannot store: NUL, and surrogates that may be unpaired. */
const DOUBTFUL_ESCAPE = /\\u(?:0000|d[89a-f])/i;

/** Returns the value; undefined for a text that is no JSON. Characters that Postgres cannot store are replaced. */
export function parseJson(text: string): unknown {
  try {
    return DOUBTFUL_ESCAPE.test(text) ? JSON.parse(text, storable) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function storable(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value;
}
