const MAX_TRIES = 8;

/**
 * Tries something that has only a certain time, each time with twice as much, until it returns a value. For promises
 * that need a short time to pass: on a busy machine, what should come before its end may come too late. The attempt
 * returns undefined when it did.
 */
export async function withMoreTime<T>(
  firstMs: number,
  attempt: (timeMs: number) => Promise<T | undefined>,
): Promise<T> {
  for (let tries = 0, timeMs = firstMs; tries < MAX_TRIES; tries += 1, timeMs *= 2) {
    const result = await attempt(timeMs);
    if (result !== undefined) return result;
  }
  throw new Error(`not within ${firstMs * 2 ** (MAX_TRIES - 1)} ms either`);
}
