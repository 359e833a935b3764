/** Keeps the reserved and spent amounts of one key, workspace or organization in memory. */
import {
  leftUnder,
  type PayerCounters,
  periodStart,
  type Spend,
} from '../../../domain/ledger/spending-limit.ts';
import type { Ceiling, LimitInterval, PayerKind } from '../../../domain/ceiling.ts';
import type { Nanos } from '../../../domain/money.ts';

/**
 * One payer as this process knows it. No amount is missed, and none is counted twice for longer than one read:
 * - from `reserve` to `settle`, the estimate is in `held`;
 * - from `settle` on, the amount is in `recent` of every window. Its row was committed (or spooled) before `settle`,
 *   so a read that starts after `settle` has it in `counters`. When a read returns, the amounts that were in `recent`
 *   at its start are removed;
 * - an amount that is settled while a read is under way may be in that read's answer, and also stays in `recent`. It
 *   is counted twice until the next read at most, and never missed.
 */
export interface Payer {
  kind: PayerKind;
  id: number | string;
  /** The number of requests that are being admitted. While there are any, the payer stays in memory. */
  users: number;
  held: Spend;
  /** The number of reservations. While there are any, the payer stays in memory. */
  inFlight: number;
  /** The highest possible cost of all reservations together. */
  most: Spend;
  /** The requests that wait until reservations of this payer end, in the order of their arrival. */
  waiting: Turn[];
  windows: Window[];
  lastUsedMs: number;
}

/** A request that waits for its turn. */
export interface Turn {
  /** The payer in whose queue the request waits. */
  payer: Payer;
  /** Tries to reserve. Returns the payer that is busy, or undefined when the request no longer waits. */
  take(): Payer | undefined;
}

/** A payer in one interval. */
export interface Window {
  payer: Payer;
  interval: LimitInterval;
  /** The first day of the counted period; null for a lifetime. */
  sinceDay: number | null;
  /** The ceiling that applied to the last request; null before the first one. */
  ceiling: Ceiling | null;
  /** The counters as last read from the database; null before the first read. */
  counters: PayerCounters | null;
  /** Amounts that this process settled and that `counters` may not contain yet. */
  recent: Spend;
  /** The read that will set `counters`; null when none is waiting or running. */
  reading: Promise<void> | null;
  /** The last request that the ceiling refused for want of money, with the limit at that time; null if none. */
  refusal: { atMs: number; limit: Ceiling['limit'] } | null;
}

const nothing = (): Spend => ({ usage: 0n, byok: 0n });

export function createPayer(kind: PayerKind, id: number | string, nowMs: number): Payer {
  return {
    kind,
    id,
    users: 0,
    held: nothing(),
    inFlight: 0,
    most: nothing(),
    waiting: [],
    windows: [],
    lastUsedMs: nowMs,
  };
}

/** Returns the payer's window for an interval, in the period of `day`. */
export function windowOf(payer: Payer, interval: LimitInterval, day: number): Window {
  const known = payer.windows.find((window) => window.interval === interval);
  if (known !== undefined) {
    rollOver(known, day);
    return known;
  }
  const window: Window = {
    payer,
    interval,
    sinceDay: periodStart(interval, day),
    ceiling: null,
    counters: null,
    recent: nothing(),
    reading: null,
    refusal: null,
  };
  payer.windows.push(window);
  return window;
}

/**
 * Starts a new period with nothing spent; the next read adds the spending of other processes. Open jobs and requests in
 * flight keep their reservations. A clock that was set back changes nothing until the next read.
 */
export function rollOver(window: Window, day: number): void {
  const since = periodStart(window.interval, day);
  if (since === null || window.sinceDay === null || since <= window.sinceDay) return;
  window.sinceDay = since;
  window.recent = nothing();
  if (window.counters !== null) window.counters = { ...window.counters, spent: nothing() };
}

/**
 * Returns the amount that the ceiling leaves beside what is spent and `inFlight`. The window's counters must have been
 * read.
 */
export function leftBeside(ceiling: Ceiling, { counters, recent }: Window, inFlight: Spend): Nanos {
  if (counters === null) throw new Error('the counters were not read');
  const { spent } = counters;
  const usage = spent.usage + recent.usage + inFlight.usage;
  const byok = spent.byok + recent.byok + inFlight.byok;
  return leftUnder(ceiling, { ...counters, spent: { usage, byok } });
}

/** Begins a reservation of `amount`, which may cost up to `most`. */
export function hold(payer: Payer, amount: Spend, most: Spend): void {
  add(payer.held, amount);
  add(payer.most, most);
  payer.inFlight += 1;
}

/** Ends a reservation. */
export function release(payer: Payer, amount: Spend, most: Spend): void {
  subtract(payer.held, amount);
  subtract(payer.most, most);
  payer.inFlight -= 1;
}

/** Counts a spent amount in the period of `day`. */
export function spend(payer: Payer, spent: Spend, day: number): void {
  for (const window of payer.windows) {
    rollOver(window, day);
    add(window.recent, spent);
  }
}

function add(sum: Spend, { usage, byok }: Spend): void {
  sum.usage += usage;
  sum.byok += byok;
}

function subtract(sum: Spend, { usage, byok }: Spend): void {
  sum.usage -= usage;
  sum.byok -= byok;
}

export function hasRecent({ windows }: Payer): boolean {
  return windows.some(({ recent }) => recent.usage !== 0n || recent.byok !== 0n);
}
