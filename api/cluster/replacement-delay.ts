const FIRST_MS = 100;
const LONGEST_MS = 30_000;
/** A child that served for so long did not end because of what it began with. */
const LONG_ENOUGH_MS = 60_000;

/** Says how long to wait before the next child of a slot: twice as long each time, until one serves for a minute. */
export function createReplacementDelay(): (servedMs: number) => number {
  let endings = 0;
  return (servedMs) => {
    if (servedMs >= LONG_ENOUGH_MS) endings = 0;
    endings += 1;
    return Math.min(LONGEST_MS, FIRST_MS * 2 ** (endings - 1));
  };
}
