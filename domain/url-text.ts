/** Checks texts that are to become parts of URLs. */

/**
 * Returns whether a text has characters that no URL may contain: blanks of any script and control characters. URL
 * parsers drop or encode them silently, and Postgres cannot store NUL.
 */
export function hasBlankOrControl(text: string): boolean {
  return /[\s\p{Cc}]/u.test(text);
}

/** Returns whether all escapes of a path are percent-encoded UTF-8. */
export function isPercentEncoded(path: string): boolean {
  if (!path.includes('%')) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
