import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../platform/logger.ts';

export interface RepeatOptions {
  /** The least pause between two readings. */
  intervalMs: number;
  logger: Pick<Logger, 'warn'>;
  now: () => number;
  /** The log line of a reading that failed. */
  failed: string;
}

/** What takes long to read is read less often: for a twentieth of the time at most. */
const SHARE_OF_TIME = 20;
/** A clock that leaps makes things take long, too. */
const LONGEST_REST_MS = 30 * 60_000;

/** Returns how long to wait before reading again what took so long to read. */
export function restAfter(tookMs: number): number {
  return Math.min(tookMs * SHARE_OF_TIME, LONGEST_REST_MS);
}

/** Reads at once and then at intervals, never twice at a time. Resolves when the signal has aborted. */
export async function repeatUntil(
  signal: AbortSignal,
  read: (signal: AbortSignal) => Promise<void>,
  { intervalMs, logger, now, failed }: RepeatOptions,
): Promise<void> {
  while (!signal.aborted) {
    const startedAtMs = now();
    await read(signal).catch((error: unknown) => {
      if (!signal.aborted) logger.warn({ err: error }, failed);
    });
    const pauseMs = Math.max(intervalMs, restAfter(now() - startedAtMs));
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}
