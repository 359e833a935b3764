import type { Logger } from '../../../platform/logger.ts';
import { restAfter } from './rest-after.ts';

/** A reading that is made when it is asked for, unless one is under way or was made lately. */
export interface PacedReading {
  /** Begins in the background. A failure is logged. */
  wake(): void;
  /** Stops the reading that is under way at its next statement. */
  close(): Promise<void>;
}

export interface PacedReadingOptions {
  /** The least time from the beginning of one reading to that of the next. */
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
