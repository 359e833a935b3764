/** Shows so much of a secret that its owner recognizes it. Every masked secret of an answer is made here. */

/** The shortest secret whose ends are shown. The ends of a shorter one would be too large a part of it. */
const MIN_LENGTH_WITH_ENDS = 20;
const END_LENGTH = 4;
const HIDDEN = '...';

/** Returns `abcd...wxyz` for a secret, and `...` for one of fewer than 20 characters. */
export function maskSecret(secret: string): string {
  if (secret.length < MIN_LENGTH_WITH_ENDS) return HIDDEN;
  return `${secret.slice(0, END_LENGTH)}${HIDDEN}${secret.slice(-END_LENGTH)}`;
}

/** Returns the last four characters of a secret, and `...` for one of fewer than 20 characters. */
export function endOfSecret(secret: string): string {
  return secret.length < MIN_LENGTH_WITH_ENDS ? HIDDEN : secret.slice(-END_LENGTH);
}

/** Returns whether a text has the form of a mask. */
export function looksMasked(text: string): boolean {
  return /^(?:.{4}\.\.\..{4}|\.\.\.)$/u.test(text);
}
