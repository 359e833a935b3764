/**
 * Tokens that customers bring for their keys. Sluice stores only an unsalted hash of them, so a token that could be
 * guessed must be rejected.
 */

/** Visible ASCII that does not look like one of Sluice's own tokens. */
export const CUSTOMER_TOKEN_PATTERN = /^(?!(?:sk|scim)-slc-)[\x21-\x7e]{32,256}$/i;

/** The least entropy that a token must have. 32 random hex digits have more. */
const MIN_ENTROPY_BITS = 96;

/**
 * Returns whether the characters, and the steps between them, vary as much as in a random text of that length. This is
 * an estimate, not a proof.
 */
export function looksRandom(token: string): boolean {
  const codes = Array.from(token, (character) => character.charCodeAt(0));
  const steps = codes.slice(1).map((code, index) => code - codes[index]!);
  return entropyBits(codes) >= MIN_ENTROPY_BITS && entropyBits(steps) >= MIN_ENTROPY_BITS;
}

/** Returns the Shannon entropy of the values, by their frequencies, times their count. */
function entropyBits(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= count * Math.log2(count / values.length);
  return bits;
}
