/** Limits how often metrics read a value from the database, and shares each result among scrapes. */

export interface SharedReadingOptions<T> {
  read(): Promise<T>;
  /** The time between readings. Callers in between get the last result, including a failure. */
  everyMs: number;
  /** The timeout of a reading. */
  withinMs: number;
  onFailure(error: unknown): void;
}

/** Shares one reading among all callers within an interval. Resolves with undefined after a failed reading. */
export function shareReading<T>(options: SharedReadingOptions<T>): () => Promise<T | undefined> {
  const { read, everyMs, withinMs, onFailure } = options;
  let reading: Promise<T | undefined> | undefined;
  let startedAtMs = -Infinity;
  const readInTime = async (): Promise<T | undefined> => {
    const { promise: timeout, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`nothing was read within ${withinMs} ms`)), withinMs);
    try {
      return await Promise.race([read(), timeout]);
    } catch (error) {
      onFailure(error);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  };
  return () => {
    const nowMs = performance.now();
    if (reading === undefined || nowMs - startedAtMs >= everyMs) {
      startedAtMs = nowMs;
      reading = readInTime();
    }
    return reading;
  };
}
