export interface SharedReadingOptions<T> {
  read(): Promise<T>;
  /** From one reading to the next. Who asks in between is told what was read last, also that nothing could be read. */
  everyMs: number;
  /** A reading that takes longer has failed. */
  withinMs: number;
  onFailure(error: unknown): void;
}

/** Shares one reading among all who ask within some time. Resolves with undefined while nothing can be read. */
export function shareReading<T>(options: SharedReadingOptions<T>): () => Promise<T | undefined> {
  const { read, everyMs, withinMs, onFailure } = options;
  let reading: Promise<T | undefined> | undefined;
  let startedAtMs = -Infinity;
  const readInTime = async (): Promise<T | undefined> => {
    const { promise: timeIsUp, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`nothing was read within ${withinMs} ms`)), withinMs);
    try {
      return await Promise.race([read(), timeIsUp]);
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
