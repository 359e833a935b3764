/** Decides whether a directory change removes so many people that it must be held or stopped. */

const MOST_REMOVALS = 500;
const FEW_REMOVALS = 10;
const MOST_SHARE = 0.2;

/** The number of people or groups to be removed, and the number that the directory manages. */
export interface Removals {
  removed: number;
  managed: number;
}

/** Returns whether so many removals look like a mistake: more than 500, or more than 20 % and more than 10. */
export function isTooMany({ removed, managed }: Removals): boolean {
  return removed > MOST_REMOVALS || (removed > FEW_REMOVALS && removed > managed * MOST_SHARE);
}

/** Removals that are pushed within this time count together. */
export const PUSH_WINDOW_MS = 3_600_000;
/** The most people that a pushed change updates at once; a run applies larger changes. */
export const MAX_PEOPLE_AT_ONCE = 100;
/** The most people that a run, or a change of a mapping, applies in one transaction. */
export const PEOPLE_PER_CHUNK = 1_000;
