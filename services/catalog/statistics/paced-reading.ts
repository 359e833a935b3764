import type { Logger } from '../../../platform/logger.ts';
import { restAfter } from './rest-after.ts';

/** Runs a reading on request, unless one is under way or has run recently. */
export interface PacedReading {
  /** Starts a reading in the background. A failure is logged. */
  wake(): void;
  /** Stops the reading under way at its next statement. */
  close(): Promise<void>;
}

export interface PacedReadingOptions {
  /** The shortest time from the start of one reading to the start of the next. */
  intervalMs: number;
  logger: Pick<Logger, 'warn'>;
  now: () => number;
}

export function createPacedReading(
  read: (signal: AbortSignal) => Promise<void>,
  { intervalMs, logger, now }: PacedReadingOptions,
): PacedReading {
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
    wake() {
      if (running === undefined && !signal.aborted && now() >= nextAtMs) running = run();
    },
    async close() {
      closing.abort();
      await running;
    },
  };
}
