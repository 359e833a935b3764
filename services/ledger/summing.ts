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
/**
 * The generations of this process that may wait for sums that fail. Later ones are summed with their own statement. To
 * read that many beside the counters takes Postgres ten milliseconds.
 */
const MOST_WAITING = 10_000;
/**
 * The most generations of one statement, which usually takes half a second. Each failure halves them, because the
 * statement may have taken too long, but not below what one batch holds.
 */
const MOST_AT_ONCE = 10_000;
const FEWEST_AT_ONCE = 500;

/**
 * Sums the generations of all processes until it is closed. A sum is one statement, so that a process that dies leaves
 * it done or not begun. A long backlog takes several. After a failure it tries again at the next turn.
 */
export function createSumming({ connection, logger }: SummingOptions) {
  let waiting = 0;
  let isFailing = false;
  let isClosing = false;
  let most = MOST_AT_ONCE;
  let summedAtMs = performance.now();
  let running: Promise<void> | undefined;

  const sum = async (): Promise<void> => {
    const before = waiting;
    try {
      while ((await connection.sum(most)).hasMore) if (isClosing) return;
      most = MOST_AT_ONCE;
      waiting -= before;
      summedAtMs = performance.now();
      if (isFailing) logger.info('generations are added to counters and rollups again');
      isFailing = false;
    } catch (error) {
      if (!isFailing)
        logger.warn({ err: error }, 'generations are not added to counters and rollups; tried again');
      isFailing = true;
      most = Math.max(FEWEST_AT_ONCE, most / 2);
    }
  };
  const timer = setInterval(() => {
    if (running !== undefined || !(waiting > 0 || performance.now() - summedAtMs >= IDLE_EVERY_MS)) return;
    running = sum().finally(() => (running = undefined));
  }, EVERY_MS);

  return {
    /** Says that this process has written this many generations. */
    noteWritten(rows: number): void {
      waiting += rows;
    },
    /**
     * Returns false when so many generations wait that new ones must be summed with their own statement. Until then,
     * answers do not wait for locks of a sum that has frozen.
     */
    isCurrent: (): boolean => waiting <= MOST_WAITING,
    /** Seconds since all generations of the time were summed. */
    ageSeconds: (): number => (performance.now() - summedAtMs) / 1_000,
    /** Sums what is left, unless sums fail, and ends. Leaves the rest of a long backlog to other processes. */
    async close(): Promise<void> {
      isClosing = true;
      clearInterval(timer);
      await running;
      if (waiting > 0 && !isFailing) await sum();
      await connection.close();
    },
  };
}

export type Summing = ReturnType<typeof createSumming>;
