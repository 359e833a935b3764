/** Reading takes a twentieth of the time at most: a reading that takes long is repeated less often. */
const SHARE_OF_TIME = 20;
/** A clock that leaps makes things take long, too. */
const LONGEST_REST_MS = 30 * 60_000;

/** Returns how long to wait before reading again what took so long to read. */
export function restAfter(tookMs: number): number {
  return Math.min(tookMs * SHARE_OF_TIME, LONGEST_REST_MS);
}
