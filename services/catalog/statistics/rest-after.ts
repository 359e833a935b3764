/**
 * The factor between a reading's duration and the pause after it, so that readings take a twentieth of the time at
 * most.
 */
const SHARE_OF_TIME = 20;
/** The longest pause. When the clock jumps, a reading may seem to have taken very long. */
const LONGEST_REST_MS = 30 * 60_000;

/** Returns the pause after a reading that took this long. */
export function restAfter(tookMs: number): number {
  return Math.min(tookMs * SHARE_OF_TIME, LONGEST_REST_MS);
}
