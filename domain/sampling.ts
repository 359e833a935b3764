/**
 * Returns whether an id is in the sample of a rate. The result never changes, and a higher rate includes the sample of
 * every lower one. Samples of different purposes are independent.
 */
export function isSampled(purpose: string, id: string, rate: number): boolean {
  return rate >= 1 || positionOf(purpose, id) < rate;
}

const FNV_OFFSET = 2_166_136_261;
const FNV_PRIME = 16_777_619;
const POSITIONS = 2 ** 32;

/**
 * Returns a number from 0 to below 1. FNV-1a alone barely changes its high bits for ids that differ at the end, so the
 * hash is mixed further.
 */
function positionOf(purpose: string, id: string): number {
  let hash = addTo(addTo(FNV_OFFSET, purpose), id);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / POSITIONS;
}

/** Adds a text to the hash by UTF-16 units, which is fast: it runs for every generation. */
function addTo(hash: number, text: string): number {
  let sum = hash;
  for (let i = 0; i < text.length; i += 1) sum = Math.imul(sum ^ text.charCodeAt(i), FNV_PRIME);
  return sum;
}
