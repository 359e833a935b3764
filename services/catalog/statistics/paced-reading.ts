/** Runs a reading in the background on request, unless one runs or has run recently. */
import type { Logger } from '../../../platform/logger.ts';
import { restAfter } from './rest-after.ts';

export interface PacedReadingOptions {
  /** The shortest time from the start of one reading to the start of the next. */
  intervalMs: number;
  logger: Pick<Logger, 'warn'>;
  now: () => number;
}

/** Runs a reading on request, unless one is under way or has run recently. */
export function createPacedReading(
  read: (signal: AbortSignal) => Promise<void>,
  { intervalMs, logger, now }: PacedReadingOptions,
) {
  const closing = new AbortController();
  const { signal } = closing;
  let running: Promise<void> | undefined;
  let nextAtMs = -Infinity;

  const run = async (): Promise<void> => {
    const startedAtMs = now();
    await read(signal).catch((error: unknown) => {
      if (!signal.aborted) logger.warn({ err: error }, 'statistics of models not read');
    });
    nextAtMs = Math.max(startedAtMs + intervalMs, now() + restAfter(now() - startedAtMs));
    running = undefined;
  };
  return {
    /** Starts a reading in the background. A failure is logged. */
    wake(): void {
      if (running === undefined && !signal.aborted && now() >= nextAtMs) running = run();
    },
    /** Stops the reading under way at its next statement. */
    async close(): Promise<void> {
      closing.abort();
      await running;
    },
  };
}
