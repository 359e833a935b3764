import type { Nanos } from '../money.ts';
import { countedUnder, isoDay, midnightOf, type PayerCounters, periodEnd } from './spending-limit.ts';
import type { Ceiling, PayerKind } from '../ceiling.ts';

/** The spending under a limit in one period, and the most that the limit allows in it. */
export interface PeriodSpending {
  /** Names the period among those of its payer. */
  period: string;
  /** Null where nobody knows when it began: a limit that never resets. */
  startsAt: Date | null;
  /** Null where nothing but a new limit, or new credit, ends it. */
  endsAt: Date | null;
  spent: Nanos;
  limit: Nanos;
}

/** Spending that has reached a threshold of a limit. */
export interface BudgetAlert extends PeriodSpending {
  payer: PayerKind;
  /** How the API names the payer: the hash of a key, the id of a workspace or organization. */
  shownId: string;
  /** Null: the alert is the organization's. */
  workspaceId: string | null;
  interval: Ceiling['interval'];
  /** Percent of the limit. */
  threshold: number;
  at: Date;
}

/**
 * Returns the spending of the period that began on `startDay`, as alerts count it: what is committed, and nothing that
 * open jobs or requests in flight may cost. A limit without a reset has one period for each of its values; credit has one
 * for each entry, in which the limit is the balance right after the entry. Null for a limit of nothing, which has no
 * percentages, and where no credit was ever bought.
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

/** The thresholds that the spending has reached, in ascending order. */
export function reachedThresholds(
  thresholds: readonly number[],
  { spent, limit }: Pick<PeriodSpending, 'spent' | 'limit'>,
): number[] {
  return thresholds
    .filter((threshold) => spent * 100n >= limit * BigInt(threshold))
    .toSorted((a, b) => a - b);
}

/** Returns the id of the alert's event: it stays the same however often the alert is written, and no other alert has it. */
export function budgetEventId({ payer, shownId, period, threshold }: BudgetAlert): string {
  return `budget-${payer}-${shownId}-${period}-${threshold}`;
}
