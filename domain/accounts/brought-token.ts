/**
 * Tokens that customers bring for their keys. Only the hash of one is kept, and it has no salt: what could be guessed
 * must not be taken.
 */

/** Visible ASCII that cannot be taken for a token of ours. */
export const BROUGHT_TOKEN_PATTERN = /^(?!(?:sk|scim)-slc-)[\x21-\x7e]{32,256}$/i;

/** What 32 random hex digits have is more. */
const MIN_ENTROPY_BITS = 96;

/**
 * Whether its characters, and the steps from each to the next, vary as much as something random of its length would: a
 * measure, no proof.
 */
export function looksRandom(token: string): boolean {
  const codes = Array.from(token, (character) => character.charCodeAt(0));
  const steps = codes.slice(1).map((code, index) => code - codes[index]!);
  return entropyBits(codes) >= MIN_ENTROPY_BITS && entropyBits(steps) >= MIN_ENTROPY_BITS;
}

/** By the frequencies of the values themselves. */
function entropyBits(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= count * Math.log2(count / values.length);
  return bits;
}
