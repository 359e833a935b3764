import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../platform/logger.ts';

export interface OutageOptions {
  /** Resolves when Postgres answers. */
  ping(): Promise<void>;
  logger: Pick<Logger, 'error' | 'info'>;
}

/** From the end of one look for Postgres to the next; the waits double. */
const FIRST_WAIT_MS = 100;
const LAST_WAIT_MS = 2_000;
/** An outage so soon after another is the same one: Postgres answers, and the ledger cannot be written all the same. */
const SAME_MS = 10_000;

/** Knows whether Postgres is away, and looks for it while it is, whether or not anybody waits. */
export function createOutage({ ping, logger }: OutageOptions) {
  const closing = new AbortController();
  let look: Promise<boolean> | undefined;
  let watching: Promise<void> | undefined;
  let waitMs = FIRST_WAIT_MS;
  let overSinceMs = 0;

  const lookAgain = async (): Promise<boolean> => {
    try {
      await delay(waitMs, undefined, { signal: closing.signal });
      waitMs = Math.min(waitMs * 2, LAST_WAIT_MS);
      await ping();
      return true;
    } catch {
      return false;
    }
  };
  const watch = async (onOver: () => void): Promise<void> => {
    do look = lookAgain();
    while (!(await look) && !closing.signal.aborted);
    if (closing.signal.aborted) return;
    look = undefined;
    overSinceMs = performance.now();
    logger.info('the ledger is written again');
    onOver();
  };

  return {
    isOver: () => look === undefined,
    begin(error: unknown, onOver: () => void): void {
      if (look !== undefined) return;
      logger.error({ err: error }, 'the ledger cannot be written; Postgres is looked for');
      if (performance.now() - overSinceMs > SAME_MS) waitMs = FIRST_WAIT_MS;
      watching = watch(onOver);
    },
    /** Resolves after the look for Postgres that is under way. */
    async nextLook(): Promise<void> {
      await look;
      // Nothing is looked for any more while the process ends: what still waits must not spin.
      if (closing.signal.aborted) await delay(FIRST_WAIT_MS);
    },
    async close(): Promise<void> {
      closing.abort();
      await watching;
    },
  };
}
