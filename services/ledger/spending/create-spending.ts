/** Enforces spending limits in the memory of one process, and keeps its counters up to date with Postgres. */
import type { Nanos } from '../../../domain/money.ts';
import type { Principal } from '../../../domain/principal.ts';
import { type Spend, utcDay } from '../../../domain/ledger/spending-limit.ts';
import type { Ceiling } from '../../../domain/ceiling.ts';
import type { Logger } from '../../../platform/logger.ts';
import { type CounterReader, type CounterReaderOptions, createCounterReader } from './counter-reader.ts';
import { hold, leftFor, type Payer, settle, type Window, windowOf } from './payer.ts';
import { createPayers, type Payers } from './payers.ts';
import { roomFor } from './room.ts';
import { refusalOf } from './refusal.ts';
import type { Estimate, Reservation, Spending } from './spending.ts';

export interface SpendingOptions extends Omit<CounterReaderOptions, 'now'> {
  creditsUrl: string;
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

/**
 * One shared promise for all requests without limits. Most requests have no limits, so reserving for them must cost no
 * memory and no lookup.
 */
const UNLIMITED: Promise<Reservation> = Promise.resolve({ held: 0n, settle: () => {} });

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

  return {
    reserve(principal, estimate) {
      const { ceilings } = principal;
      if (ceilings === undefined || isNothing(estimate)) return UNLIMITED;
      return reserveUnder(spending, principal, ceilings, estimate);
    },
    note(principal, spent) {
      const { ceilings = [] } = principal;
      const ids = idsOf(principal);
      // Skip a payer that is not in memory. Its first request reads its counters, which contain the committed amount.
      for (const kind of new Set(ceilings.map(({ payer }) => payer))) {
        const payer = spending.payers.find(kind, ids[kind]);
        if (payer !== undefined) settle(payer, NOTHING, spent, utcDay(spending.now()));
      }
    },
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

async function reserveUnder(
  spending: WatchedSpending,
  principal: Principal,
  ceilings: Ceiling[],
  estimate: Estimate,
): Promise<Reservation> {
  const charged = payersOf(principal, ceilings, spending.payers, spending.now());
  start(spending);
  for (const payer of charged) payer.users += 1;
  let held: Spend;
  try {
    await readUnknown(spending.reader, charged, ceilings, utcDay(spending.now()));
    // No `await` from here to the reservation, so that two requests cannot both reserve the last cent.
    const room = roomFor(estimate, ceilings, (ceiling) => leftOf(ceiling, charged, utcDay(spending.now())));
    if ('refusing' in room) throw refusalOf(room.refusing, spending.options.creditsUrl, room.details);
    held = room;
  } catch (error) {
    for (const payer of charged) payer.users -= 1;
    throw error;
  }
  for (const payer of charged) hold(payer, held);
  return createReservation(charged, held, estimate.isByok === true ? held.byok : held.usage, spending.now);
}

function idsOf({ keyId, organizationId, workspaceId }: Principal) {
  return { key: keyId, organization: organizationId, workspace: workspaceId };
}

/** Returns each payer once, in the order of the ceilings. */
function payersOf(principal: Principal, ceilings: Ceiling[], payers: Payers, nowMs: number): Payer[] {
  const ids = idsOf(principal);
  const charged: Payer[] = [];
  for (const { payer: kind } of ceilings) {
    if (charged.at(-1)?.kind !== kind) charged.push(payers.use(kind, ids[kind], nowMs));
  }
  return charged;
}

function payerUnder({ payer: kind }: Ceiling, charged: Payer[]): Payer {
  const payer = charged.find((candidate) => candidate.kind === kind);
  if (payer === undefined) throw new Error(`no ${kind} among the payers`);
  return payer;
}

/** Reads counters that are not in memory. Does not wait when all are. */
async function readUnknown(reader: CounterReader, charged: Payer[], ceilings: Ceiling[], day: number) {
  let reads: Promise<void>[] | undefined;
  for (const ceiling of ceilings) {
    const window = windowOf(payerUnder(ceiling, charged), ceiling.interval, day);
    window.ceiling = ceiling;
    if (window.counters === null) (reads ??= []).push(reader.readFirst(window));
  }
  if (reads !== undefined) await Promise.all(reads);
}

function leftOf(ceiling: Ceiling, charged: Payer[], day: number): Nanos {
  return leftFor(ceiling, windowOf(payerUnder(ceiling, charged), ceiling.interval, day));
}

function isNothing({ usage, byok, output }: Estimate): boolean {
  return usage === 0n && byok === 0n && (output === undefined || (output.least === 0n && output.most === 0n));
}

function createReservation(charged: Payer[], reserved: Spend, held: Nanos, now: () => number): Reservation {
  let isOpen = true;
  return {
    held,
    settle(spent) {
      if (!isOpen) return;
      isOpen = false;
      const nowMs = now();
      for (const payer of charged) {
        settle(payer, reserved, spent, utcDay(nowMs));
        payer.users -= 1;
        payer.lastUsedMs = nowMs;
      }
    },
  };
}
