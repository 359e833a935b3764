/** Decides when spending has reached a threshold of a limit, and identifies the alert. */
import type { Nanos } from '../money.ts';
import { countedUnder, isoDay, midnightOf, type PayerCounters, periodEnd } from './spending-limit.ts';
import type { Ceiling, PayerKind } from '../ceiling.ts';

/** The spending under a limit in one period, and the limit. */
export interface PeriodSpending {
  /** Identifies the period among those of the payer. */
  period: string;
  /** Null if unknown: the limit never resets. */
  startsAt: Date | null;
  /** Null if only a new limit or new credit ends the period. */
  endsAt: Date | null;
  spent: Nanos;
  limit: Nanos;
}

/** Spending that reached a threshold of a limit. */
export interface BudgetAlert extends PeriodSpending {
  payer: PayerKind;
  /** The payer's public id: the hash of a key, or the id of a workspace or organization. */
  shownId: string;
  /** Null: the alert belongs to the organization. */
  workspaceId: string | null;
  interval: Ceiling['interval'];
  /** Percent of the limit. */
  threshold: number;
  at: Date;
}

/**
 * Returns the spending of the period that began on `startDay`, for alerts. Only committed amounts count, without open
 * jobs and requests in flight.
 *
 * A limit without a reset has one period for each of its values. Credit has one for each entry, with the balance right
 * after the entry as its limit. Returns null for a limit of zero, and if no credit was ever bought.
 */
export function periodSpending(
  ceiling: Ceiling,
  startDay: number | null,
  counters: Pick<PayerCounters, 'spent' | 'creditNanos' | 'lastCredit'>,
): PeriodSpending | null {
  const found = describePeriod(ceiling, startDay, counters);
  return found === null || found.limit <= 0n ? null : found;
}

function describePeriod(
  ceiling: Ceiling,
  startDay: number | null,
  { spent: all, creditNanos, lastCredit }: Pick<PayerCounters, 'spent' | 'creditNanos' | 'lastCredit'>,
): PeriodSpending | null {
  const { interval, limit } = ceiling;
  const spent = countedUnder(ceiling, all);
  if (limit === 'credit') {
    if (lastCredit === undefined) return null;
    const { id, addedAt, usedNanos } = lastCredit;
    const period = { period: `credit-${id}`, startsAt: addedAt, endsAt: null };
    return { ...period, spent: spent - usedNanos, limit: creditNanos - usedNanos };
  }
  if (interval === 'lifetime' || startDay === null) {
    return { period: `limit-${limit}`, startsAt: null, endsAt: null, spent, limit };
  }
  const endsAt = midnightOf(periodEnd(interval, startDay));
  return { period: `${interval}-${isoDay(startDay)}`, startsAt: midnightOf(startDay), endsAt, spent, limit };
}

/**
 * The threshold that a limit reaches with the first request that it refuses for want of money. Requests reserve what
 * they may cost, so a limit refuses them before all of it is spent.
 */
const REFUSING_THRESHOLD = 100;

/**
 * Returns the thresholds that the spending has reached, in ascending order. A limit that refused a request has also
 * reached `REFUSING_THRESHOLD`.
 */
export function reachedThresholds(
  thresholds: readonly number[],
  { spent, limit }: Pick<PeriodSpending, 'spent' | 'limit'>,
  isRefusing = false,
): number[] {
  return thresholds
    .filter((threshold) => {
      if (isRefusing && threshold === REFUSING_THRESHOLD) return true;
      return spent * 100n >= limit * BigInt(threshold);
    })
    .toSorted((a, b) => a - b);
}

/** Returns the id of the alert's event. It is unique to the alert, and stays the same if the alert is written again. */
export function budgetEventId({ payer, shownId, period, threshold }: BudgetAlert): string {
  return `budget-${payer}-${shownId}-${period}-${threshold}`;
}
