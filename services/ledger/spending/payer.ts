import {
  leftUnder,
  type PayerCounters,
  periodStart,
  type Spend,
} from '../../../domain/ledger/spending-limit.ts';
import type { Ceiling, LimitInterval, PayerKind } from '../../../domain/ceiling.ts';
import type { Nanos } from '../../../domain/money.ts';

/**
 * One payer as this process knows it. What counts where, so that nothing is missed and nothing is counted for ever:
 * - from `reserve` to `settle` the estimate is in `held`;
 * - from `settle` on the amount is in `recent` of every window. Its row was committed before `settle` (or is in the
 *   spool), so a read that begins after `settle` has it in `counters`: whatever was in `recent` when a read began
 *   leaves it when that read returns;
 * - what is settled while a read is under way may be in that read's answer and stays in `recent` all the same: it is
 *   counted twice until the next read, at most, and never missed.
 */
export interface Payer {
  kind: PayerKind;
  id: number | string;
  /** Reservations and first requests under way: while there are any, the payer is not forgotten. */
  users: number;
  held: Spend;
  windows: Window[];
  lastUsedMs: number;
}

/** A payer in one interval. */
export interface Window {
  payer: Payer;
  interval: LimitInterval;
  /** The day on which the period began that is counted; null for a lifetime. */
  sinceDay: number | null;
  /** The ceiling that the last request was judged by; null before the first one. */
  ceiling: Ceiling | null;
  /** What the database knew last; null until it was read for the first time. */
  counters: PayerCounters | null;
  /** Settled by this process and perhaps not yet in `counters`. */
  recent: Spend;
  /** The read that will bring `counters`, while one is waiting or under way. */
  reading: Promise<void> | null;
}

const nothing = (): Spend => ({ usage: 0n, byok: 0n });

export function createPayer(kind: PayerKind, id: number | string, nowMs: number): Payer {
  return { kind, id, users: 0, held: nothing(), windows: [], lastUsedMs: nowMs };
}

/** The payer's window for an interval, in the period that `day` is in. */
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
  };
  payer.windows.push(window);
  return window;
}

/**
 * A new period begins with nothing spent: what others spend in it, the next read tells. Jobs that are open stay open,
 * and what is in flight stays held. A clock that was set back changes nothing.
 */
export function rollOver(window: Window, day: number): void {
  const since = periodStart(window.interval, day);
  if (since === null || window.sinceDay === null || since <= window.sinceDay) return;
  window.sinceDay = since;
  window.recent = nothing();
  if (window.counters !== null) window.counters = { ...window.counters, spent: nothing() };
}

/** What the ceiling leaves for one more request. The window's counters must have been read. */
export function leftFor(ceiling: Ceiling, { payer, counters, recent }: Window): Nanos {
  if (counters === null) throw new Error('the counters were not read');
  const { spent } = counters;
  const usage = spent.usage + recent.usage + payer.held.usage;
  const byok = spent.byok + recent.byok + payer.held.byok;
  return leftUnder(ceiling, { ...counters, spent: { usage, byok } });
}

export function hold({ held }: Payer, amount: Spend): void {
  held.usage += amount.usage;
  held.byok += amount.byok;
}

/** The reservation is over, and this was spent, in the period that `day` is in. */
export function settle(payer: Payer, reserved: Spend, spent: Spend, day: number): void {
  payer.held.usage -= reserved.usage;
  payer.held.byok -= reserved.byok;
  for (const window of payer.windows) {
    rollOver(window, day);
    window.recent.usage += spent.usage;
    window.recent.byok += spent.byok;
  }
}

export function hasRecent({ windows }: Payer): boolean {
  return windows.some(({ recent }) => recent.usage !== 0n || recent.byok !== 0n);
}
