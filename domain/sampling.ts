/**
 * Whether an id is in the sample that a rate takes. The same everywhere and for ever, and what one rate takes every
 * higher one takes too. `purpose` makes samples independent: what is in one says nothing of another.
 */
export function isSampled(purpose: string, id: string, rate: number): boolean {
  return rate >= 1 || positionOf(purpose, id) < rate;
}

const FNV_OFFSET = 2_166_136_261;
const FNV_PRIME = 16_777_619;
const POSITIONS = 2 ** 32;

/** From 0 to below 1. FNV-1a alone barely moves its high bits for ids that differ at their end; hence the stirring. */
function positionOf(purpose: string, id: string): number {
  let hash = addTo(addTo(FNV_OFFSET, purpose), id);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / POSITIONS;
}

/** A loop over units, not over characters: it runs for every generation. */
function addTo(hash: number, text: string): number {
  let sum = hash;
  for (let i = 0; i < text.length; i += 1) sum = Math.imul(sum ^ text.charCodeAt(i), FNV_PRIME);
  return sum;
}
