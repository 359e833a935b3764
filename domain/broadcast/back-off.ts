/** Decides how long a delivery waits after failures of an observability tool, and when it gives up. */

const FIRST_MS = 5_000;
const LONGEST_MS = 5 * 60_000;

/** The time between attempts while a tool refuses the destination's configuration. */
export const PROBE_EVERY_MS = 5 * 60_000;

/** The time without a success after which a destination is disabled, if `DISABLE_AFTER_FAILURES` attempts failed. */
export const DISABLE_AFTER_MS = 24 * 3_600_000;
export const DISABLE_AFTER_FAILURES = 100;

/** After this many 5xx answers to one batch, the batch is assumed to be the cause. */
export const SUSPECT_AFTER_FAILURES = 10;

/** Returns the wait after the given number of failures in a row, from 1: 5 s, doubled each time, 5 min at most. */
export function backOffMs(failures: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 20));
}
