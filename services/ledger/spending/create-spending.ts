/** Enforces spending limits in the memory of one process, and keeps its counters up to date with Postgres. */
import { type Spend, utcDay } from '../../../domain/ledger/spending-limit.ts';
import type { Logger } from '../../../platform/logger.ts';
import { type Admission, admit, noteRefusal } from './admission.ts';
import { type CounterReaderOptions, createCounterReader } from './counter-reader.ts';
import { FREE, isNothing } from './estimate.ts';
import { spend, type Window } from './payer.ts';
import { createPayers, payerIds } from './payers.ts';
import type { Spending } from './spending.ts';
import { wake } from './turns.ts';
import type { WaitMetrics } from './wait-metrics.ts';

export interface SpendingOptions extends Omit<CounterReaderOptions, 'now'> {
  creditsUrl: string;
  /** Counts requests that wait for their turn. */
  waits?: WaitMetrics;
  /** The longest time that a request waits for its turn. */
  waitMs: number;
  /** Milliseconds between two reads of the counters of active payers. */
  refreshMs: number;
  /** Called after each refresh of the counters. Must not throw; nothing waits for work that it starts. */
  onRefreshed?(windows: readonly Window[]): void;
  logger: Pick<Logger, 'warn' | 'info'>;
  now?: () => number;
}

export interface LiveSpending extends Spending {
  /** Returns the amount that requests of this key reserve in this process. */
  reservedBy(keyId: number): Spend;
  /**
   * Reads the counters of all active payers, and removes idle payers from memory. The timer calls it; it never rejects.
   */
  refresh(): Promise<void>;
  /** Returns the number of payers in memory. */
  size(): number;
  /** Stops the timer. */
  close(): void;
}

/** The time after which a payer without requests is removed from memory. Its next request reads its counters again. */
const IDLE_MS = 10_000;

const NOTHING: Spend = { usage: 0n, byok: 0n };

/** The payers in memory, whose counters are read at each refresh. */
interface WatchedSpending {
  options: SpendingOptions;
  now(): number;
  payers: ReturnType<typeof createPayers>;
  reader: ReturnType<typeof createCounterReader>;
  timer: NodeJS.Timeout | undefined;
  isRefreshing: boolean;
  isStale: boolean;
}

/** The counters, the reservations and the timer of one process. */
export function createSpending(options: SpendingOptions): LiveSpending {
  const { counters, isLedgerBehind } = options;
  const now = options.now ?? Date.now;
  const spending: WatchedSpending = {
    options,
    now,
    payers: createPayers(),
    reader: createCounterReader({ counters, isLedgerBehind, now }),
    timer: undefined,
    isRefreshing: false,
    isStale: false,
  };

  const { payers, reader } = spending;
  const { creditsUrl, waits, waitMs } = options;
  const admission: Admission = {
    payers,
    reader,
    creditsUrl,
    waits,
    waitMs,
    now,
    onUsed: () => start(spending),
  };

  return {
    async reserve(principal, estimates, gone) {
      const { ceilings } = principal;
      if (ceilings === undefined || estimates.every(isNothing)) return estimates.map(() => FREE);
      return admit(admission, principal, ceilings, estimates, gone);
    },
    note(principal, spent) {
      const { ceilings = [] } = principal;
      const ids = payerIds(principal);
      // Skip a payer that is not in memory. Its first request reads its counters, which contain the committed amount.
      for (const kind of new Set(ceilings.map(({ payer }) => payer))) {
        const payer = spending.payers.find(kind, ids[kind]);
        if (payer !== undefined) spend(payer, spent, utcDay(spending.now()));
      }
    },
    noteRefusal: (principal, ceiling) => noteRefusal(admission, principal, ceiling),
    reservedBy: (keyId) => ({ ...(spending.payers.find('key', keyId)?.held ?? NOTHING) }),
    refresh: () => refresh(spending),
    size: spending.payers.size,
    close: () => stop(spending),
  };
}

async function refresh(spending: WatchedSpending): Promise<void> {
  const { logger } = spending.options;
  // Keep all payers during an outage of Postgres, so that their last known counters still limit their requests.
  if (!spending.isStale) spending.payers.forgetIdle(spending.now() - IDLE_MS);
  if (spending.payers.size() === 0) return stop(spending);
  try {
    const windows = spending.payers.windows();
    await spending.reader.read(windows);
    spending.options.onRefreshed?.(windows);
    for (const { payer } of windows) wake(payer);
    if (spending.isStale) logger.info('spending counters are read again');
    spending.isStale = false;
  } catch (error) {
    if (!spending.isStale)
      logger.warn({ err: error }, 'spending counters cannot be read; the last ones hold');
    spending.isStale = true;
  }
}

function stop(spending: WatchedSpending): void {
  clearInterval(spending.timer);
  spending.timer = undefined;
}

function start(spending: WatchedSpending): void {
  if (spending.timer !== undefined) return;
  spending.timer = setInterval(() => {
    if (spending.isRefreshing) return;
    spending.isRefreshing = true;
    void refresh(spending).finally(() => (spending.isRefreshing = false));
  }, spending.options.refreshMs).unref();
}
