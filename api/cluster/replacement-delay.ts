/** Computes how long the primary process waits before it replaces a child that ended. */

const FIRST_MS = 100;
const LONGEST_MS = 30_000;
/** A child that has served for this long resets the delay, since its end has nothing to do with its start. */
const LONG_ENOUGH_MS = 60_000;

/**
 * Creates a function that returns the wait before a slot starts its next child. The wait doubles each time, until a
 * child serves for a minute.
 */
export function createReplacementDelay(): (servedMs: number) => number {
  let endings = 0;
  return (servedMs) => {
    if (servedMs >= LONG_ENOUGH_MS) endings = 0;
    endings += 1;
    return Math.min(LONGEST_MS, FIRST_MS * 2 ** (endings - 1));
  };
}
