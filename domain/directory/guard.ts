const MOST_REMOVALS = 500;
const FEW_REMOVALS = 10;
const MOST_SHARE = 0.2;

/** How many would lose something, of how many that the directory manages. */
export interface Removals {
  removed: number;
  managed: number;
}

/** Returns whether so many removals look like a mistake: above 500, or above 20 % and more than 10. */
export function isTooMany({ removed, managed }: Removals): boolean {
  return removed > MOST_REMOVALS || (removed > FEW_REMOVALS && removed > managed * MOST_SHARE);
}

/** Removals that are pushed within this time count together. */
export const PUSH_WINDOW_MS = 3_600_000;
/** A pushed change of at most so many people acts at once; a run applies a larger one. */
export const MAX_PEOPLE_AT_ONCE = 100;
/** So many people are applied in one transaction of a run. */
export const PEOPLE_A_CHUNK = 1_000;
