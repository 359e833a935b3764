/** Moves generations that are in the ledger into counters and rollups, soon after their answers. */
import type { LedgerConnection } from '../../db/ledger/ledger-connection.ts';
import type { Logger } from '../../platform/logger.ts';

export interface SummingOptions {
  connection: Pick<LedgerConnection, 'sum' | 'close'>;
  logger: Pick<Logger, 'info' | 'warn'>;
}

/** The wait between two sums while this process writes generations. */
const EVERY_MS = 250;
/** The longest wait: generations of a process that died are summed by any other. */
const IDLE_EVERY_MS = 1_000;
/** The time without a sum after which new generations are summed with their own statement. */
const BEHIND_MS = 5_000;

/**
 * Sums the generations of all processes until it is closed. A sum is one statement, so that a process that dies leaves
 * it done or not begun. After a failure it tries again at the next turn.
 */
export function createSumming({ connection, logger }: SummingOptions) {
  let hasNew = false;
  let isFailing = false;
  let summedAtMs = performance.now();
  let running: Promise<void> | undefined;

  const sum = async (): Promise<void> => {
    hasNew = false;
    try {
      await connection.sum();
      summedAtMs = performance.now();
      if (isFailing) logger.info('generations are added to counters and rollups again');
      isFailing = false;
    } catch (error) {
      if (!isFailing)
        logger.warn({ err: error }, 'generations are not added to counters and rollups; tried again');
      isFailing = true;
    }
  };
  const timer = setInterval(() => {
    if (running !== undefined || !(hasNew || performance.now() - summedAtMs >= IDLE_EVERY_MS)) return;
    running = sum().finally(() => (running = undefined));
  }, EVERY_MS);

  return {
    /** Says that this process has written generations. */
    noteWritten(): void {
      hasNew = true;
    },
    /** Returns false when generations wait so long that new ones must be summed with their own statement. */
    isCurrent: (): boolean => performance.now() - summedAtMs <= BEHIND_MS,
    /** Seconds since all generations of the time were summed. */
    ageSeconds: (): number => (performance.now() - summedAtMs) / 1_000,
    /** Sums what is left, unless sums fail, and ends. */
    async close(): Promise<void> {
      clearInterval(timer);
      await running;
      if (hasNew && !isFailing) await sum();
      await connection.close();
    },
  };
}

export type Summing = ReturnType<typeof createSumming>;
