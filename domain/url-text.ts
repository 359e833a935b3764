/**
 * Returns whether a text has characters that no URL may contain: blanks of any script and control characters. URL
 * parsers drop or encode them silently, and Postgres cannot store NUL.
 */
export function hasBlankOrControl(text: string): boolean {
  return /[\s\p{Cc}]/u.test(text);
}
