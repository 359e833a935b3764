/** Stops and resumes the writes of the ledger around an outage of Postgres, with a back-off. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../platform/logger.ts';

export interface WritePauseOptions {
  /** Resolves when Postgres answers. */
  ping(): Promise<void>;
  logger: Pick<Logger, 'error' | 'info'>;
}

/** The first and the longest wait between two pings; the wait doubles in between. */
const FIRST_WAIT_MS = 100;
const LAST_WAIT_MS = 2_000;
/**
 * A write that fails this soon after the last pause continues its back-off, because Postgres answers pings but refuses
 * writes.
 */
const SAME_FAILURE_MS = 10_000;

/**
 * Pauses the writes of the ledger after a failed write, until Postgres answers. When Postgres answers and still refuses
 * writes, as on a full disk, the pauses grow up to two seconds.
 */
export function createWritePause({ ping, logger }: WritePauseOptions) {
  const closing = new AbortController();
  let pinging: Promise<boolean> | undefined;
  let pausing: Promise<void> | undefined;
  let waitMs = FIRST_WAIT_MS;
  let endedAtMs = 0;

  const pingLater = async (): Promise<boolean> => {
    try {
      await delay(waitMs, undefined, { signal: closing.signal });
      waitMs = Math.min(waitMs * 2, LAST_WAIT_MS);
      await ping();
      return true;
    } catch {
      return false;
    }
  };
  const pause = async (onEnd: () => void): Promise<void> => {
    do pinging = pingLater();
    while (!(await pinging) && !closing.signal.aborted);
    if (closing.signal.aborted) return;
    pinging = undefined;
    endedAtMs = performance.now();
    logger.info('the ledger is written again');
    onEnd();
  };

  return {
    isPaused: () => pinging !== undefined,
    /** Begins a pause and calls `onEnd` after it. Does nothing during a pause. */
    begin(error: unknown, onEnd: () => void): void {
      if (pinging !== undefined) return;
      logger.error({ err: error }, 'the ledger cannot be written; writes pause until Postgres answers');
      if (performance.now() - endedAtMs > SAME_FAILURE_MS) waitMs = FIRST_WAIT_MS;
      pausing = pause(onEnd);
    },
    /** Resolves after the next ping. */
    async nextPing(): Promise<void> {
      await pinging;
      // There are no more pings while the process ends. Without this delay, waiting callers would loop without a pause.
      if (closing.signal.aborted) await delay(FIRST_WAIT_MS);
    },
    async close(): Promise<void> {
      closing.abort();
      await pausing;
    },
  };
}
