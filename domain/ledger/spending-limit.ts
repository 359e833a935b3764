/** Computes which spending limits apply to a key, what they cover, and what they leave. */
import { CREDIT_CEILING, type Ceiling, type LimitInterval, type LimitReset } from '../ceiling.ts';
import type { Nanos } from '../money.ts';

/** Amounts paid by credits (`usage`), and amounts that customers pay to their own provider (`byok`). */
export interface Spend {
  usage: Nanos;
  byok: Nanos;
}

/** The latest entry of an organization's credit. */
export interface LastCredit {
  id: string;
  addedAt: Date;
  /** The organization's usage at the time of the entry. */
  usedNanos: Nanos;
}

/** The counters of a payer in one interval, read at one moment. */
export interface PayerCounters {
  spent: Spend;
  /** The amount that open jobs may still cost. */
  open: Spend;
  /** Credit bought by the organization; zero for other payers. */
  creditNanos: Nanos;
  /** Absent for other payers, and if nothing was bought. */
  lastCredit?: LastCredit;
}

/** The settings that determine a key's ceilings. */
export interface SpendingTerms {
  key: { limitNanos: Nanos | null; limitReset: LimitReset | null; includeByokInLimit: boolean };
  creditEnforcement: boolean;
  budgets: { interval: LimitInterval; limitNanos: Nanos }[];
  includeByokInBudgets: boolean;
  /**
   * The percentages of the key's workspace, and those of the default workspace, which apply to the organization's
   * credit.
   */
  alertThresholds: { workspace: readonly number[]; organization: readonly number[] };
}

/** Returns the ceilings of a key, in the order in which they are checked; undefined if nothing limits the key. */
export function ceilingsOf(terms: SpendingTerms): Ceiling[] | undefined {
  const { key, creditEnforcement, budgets, includeByokInBudgets: includeByok } = terms;
  const { workspace: alertThresholds, organization } = terms.alertThresholds;
  const ceilings: Ceiling[] = [];
  if (key.limitNanos !== null) ceilings.push({ ...keyCeiling(key, key.limitNanos), alertThresholds });
  if (creditEnforcement) ceilings.push({ ...CREDIT_CEILING, alertThresholds: organization });
  for (const { interval, limitNanos } of budgets) {
    ceilings.push({ payer: 'workspace', interval, limit: limitNanos, includeByok, alertThresholds });
  }
  return ceilings.length === 0 ? undefined : ceilings;
}

export function keyCeiling(
  { limitReset, includeByokInLimit }: Omit<SpendingTerms['key'], 'limitNanos'>,
  limitNanos: Nanos,
): Ceiling {
  return {
    payer: 'key',
    interval: limitReset ?? 'lifetime',
    limit: limitNanos,
    includeByok: includeByokInLimit,
  };
}

/** Returns the part of an amount that counts against the ceiling. */
export function countedUnder({ includeByok }: Ceiling, { usage, byok }: Spend): Nanos {
  return includeByok ? usage + byok : usage;
}

/** Returns the amount that a ceiling leaves, given the counters; negative if the ceiling is exceeded. */
export function leftUnder(ceiling: Ceiling, { spent, open, creditNanos }: PayerCounters): Nanos {
  const limit = ceiling.limit === 'credit' ? creditNanos : ceiling.limit;
  return limit - countedUnder(ceiling, spent) - countedUnder(ceiling, open);
}

const DAY_MS = 86_400_000;

/** Returns the days since 1970-01-01, UTC. */
export function utcDay(atMs: number): number {
  return Math.floor(atMs / DAY_MS);
}

/** Returns the day on which the current period began; null for a lifetime. Weeks start on Monday. */
export function periodStart(interval: LimitInterval, day: number): number | null {
  switch (interval) {
    case 'daily':
      return day;
    case 'weekly':
      // 1970-01-01 was a Thursday.
      return day - ((day + 3) % 7);
    case 'monthly':
      return day - midnightOf(day).getUTCDate() + 1;
    case 'lifetime':
      return null;
  }
}

/** Returns the day on which the period that began on `startDay` ends, and the next one begins. */
export function periodEnd(interval: LimitReset, startDay: number): number {
  switch (interval) {
    case 'daily':
      return startDay + 1;
    case 'weekly':
      return startDay + 7;
    case 'monthly': {
      const start = midnightOf(startDay);
      return utcDay(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1));
    }
  }
}

/** Returns the moment at which a day begins. */
export function midnightOf(day: number): Date {
  return new Date(day * DAY_MS);
}

/** Returns a day in ISO 8601. */
export function isoDay(day: number): string {
  return midnightOf(day).toISOString().slice(0, 10);
}

/** Usage by UTC period, as the counters hold it. */
export interface UsageByPeriod {
  usage: Nanos;
  usageDaily: Nanos;
  usageWeekly: Nanos;
  usageMonthly: Nanos;
  byokUsage: Nanos;
  byokUsageDaily: Nanos;
  byokUsageWeekly: Nanos;
  byokUsageMonthly: Nanos;
}

export function spendIn(interval: LimitInterval, usage: UsageByPeriod): Spend {
  switch (interval) {
    case 'daily':
      return { usage: usage.usageDaily, byok: usage.byokUsageDaily };
    case 'weekly':
      return { usage: usage.usageWeekly, byok: usage.byokUsageWeekly };
    case 'monthly':
      return { usage: usage.usageMonthly, byok: usage.byokUsageMonthly };
    case 'lifetime':
      return { usage: usage.usage, byok: usage.byokUsage };
  }
}

/** Returns the rest of a key's own limit, as admission computes it, but at least zero; null without a limit. */
export function remainingOfKey(key: SpendingTerms['key'], usage: UsageByPeriod, open: Spend): Nanos | null {
  const { limitNanos, limitReset } = key;
  if (limitNanos === null) return null;
  const spent = spendIn(limitReset ?? 'lifetime', usage);
  const left = leftUnder(keyCeiling(key, limitNanos), { spent, open, creditNanos: 0n });
  return left > 0n ? left : 0n;
}

export function addSpend(a: Spend, b: Spend): Spend {
  return { usage: a.usage + b.usage, byok: a.byok + b.byok };
}
