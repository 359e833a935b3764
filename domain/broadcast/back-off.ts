const FIRST_MS = 5_000;
const LONGEST_MS = 5 * 60_000;

/** How often a destination whose configuration a tool refuses is tried again. */
export const PROBE_EVERY_MS = 5 * 60_000;

/** A destination is disabled after this time with failures only, and at least so many of them. */
export const DISABLE_AFTER_MS = 24 * 3_600_000;
export const DISABLE_AFTER_FAILURES = 100;

/** After this many 5xx answers to one batch, the batch itself is suspected. */
export const SUSPECT_AFTER_FAILURES = 10;

/** Returns the wait after the given number of failures in a row, from 1: 5 s, doubled each time, 5 min at most. */
export function backOffMs(failures: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 20));
}
