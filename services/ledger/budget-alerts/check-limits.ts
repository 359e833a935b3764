/** Finds the limits that have newly reached a threshold, and writes their alerts. */
import { createBudgetAlertStore } from '../../../db/ledger/budget-alert-store.ts';
import type { BudgetLimit } from '../../../db/accounts/budget-limit-read-model.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { createPayerCounters } from '../../../db/ledger/payer-counters.ts';
import type { WebhookDelivery } from '../../../db/webhooks/webhook-store.ts';
import {
  type PeriodSpending,
  periodSpending,
  reachedThresholds,
} from '../../../domain/ledger/budget-alert.ts';
import {
  midnightOf,
  type PayerCounters,
  periodStart,
  utcDay,
} from '../../../domain/ledger/spending-limit.ts';
import type { Logger } from '../../../platform/logger.ts';
import { markedPeriodOf, type ReachedLimit, writeAlert, type WriteAlertDeps } from './write-alert.ts';

export interface BudgetAlertDeps extends WriteAlertDeps {
  logger: Pick<Logger, 'warn'>;
  now?: () => number;
}

export interface CheckOptions {
  /** The `periodKey` of each period in which the limit refused a request. */
  refusing?: ReadonlySet<string>;
  /** Called with the `periodKey` of each alert that could not be written. */
  onUnwritten?(period: string): void;
}

/**
 * Compares committed spending with limits, and writes an alert for each limit that has newly reached a threshold.
 * Returns the outbox row of each alert; null when the alert has no receiver. Any number of processes may do this at
 * once, because each threshold is marked once a period. An alert that cannot be written is logged, and the next call
 * tries again.
 */
export async function checkLimits(
  deps: BudgetAlertDeps,
  limits: BudgetLimit[],
  { refusing = new Set(), onUnwritten }: CheckOptions = {},
): Promise<(WebhookDelivery | null)[]> {
  const nowMs = (deps.now ?? Date.now)();
  const reached = await findReached(deps.knex, limits, nowMs, refusing);
  const written: (WebhookDelivery | null)[] = [];
  for (const found of await withoutMarked(deps.knex, reached)) {
    try {
      const { isFirst, delivery } = await writeAlert(deps, found, new Date(nowMs));
      if (isFirst) written.push(delivery);
    } catch (error) {
      const { payer, payerId } = found.limit;
      deps.logger.warn({ err: error, payer, payerId }, 'a budget alert is not written yet');
      onUnwritten?.(periodKey(found.limit, found.spending));
    }
  }
  return written;
}

/** Identifies a period of a limit. The key contains the limit, because a changed limit has different thresholds. */
export function periodKey(
  { payer, payerId }: Pick<BudgetLimit, 'payer' | 'payerId'>,
  { period, limit }: Pick<PeriodSpending, 'period' | 'limit'>,
): string {
  return `${payer} ${payerId} ${period} ${limit}`;
}

/** A limit in one period. */
interface Window {
  limit: BudgetLimit;
  sinceDay: number | null;
  isOver: boolean;
}

/**
 * Returns today's period. On the first day of that period, also returns the period before it, because spending from
 * before midnight may be committed after midnight. The earlier period is left out when the limit has changed since,
 * because its former value is unknown.
 */
function windowsOf(limit: BudgetLimit, today: number): Window[] {
  const current = periodStart(limit.interval, today);
  const before = periodStart(limit.interval, today - 1);
  const windows: Window[] = [{ limit, sinceDay: current, isOver: false }];
  if (current !== null && before !== current && limit.unchangedSince < midnightOf(current)) {
    windows.push({ limit, sinceDay: before, isOver: true });
  }
  return windows;
}

async function findReached(
  knex: Handle,
  limits: BudgetLimit[],
  nowMs: number,
  refusing: ReadonlySet<string>,
): Promise<ReachedLimit[]> {
  if (limits.length === 0) return [];
  const windows = limits.flatMap((limit) => windowsOf(limit, utcDay(nowMs)));
  const counters = await createPayerCounters(knex).read(
    windows.map(({ limit: { payer, payerId: id }, sinceDay }) => ({ payer, id, sinceDay })),
  );
  return windows.flatMap(({ limit, sinceDay, isOver }, index) => {
    const since = counters[index]!;
    // The counters of the earlier period also contain today's. Subtract those of today's period, the previous entry.
    const own = isOver ? withoutSpent(since, counters[index - 1]!) : since;
    const spending = periodSpending(limit, sinceDay, own);
    if (spending === null) return [];
    const isRefusing = refusing.has(periodKey(limit, spending));
    const reached = reachedThresholds(limit.alertThresholds, spending, isRefusing);
    return reached.length === 0 ? [] : [{ limit, spending, reached }];
  });
}

function withoutSpent(counters: PayerCounters, { spent }: PayerCounters): PayerCounters {
  const { usage, byok } = counters.spent;
  return { ...counters, spent: { usage: usage - spent.usage, byok: byok - spent.byok } };
}

/** Removes limits whose thresholds are all marked, so that a call that finds nothing new writes nothing. */
async function withoutMarked(knex: Handle, reached: ReachedLimit[]): Promise<ReachedLimit[]> {
  if (reached.length === 0) return [];
  const marks = await createBudgetAlertStore(knex).marks(reached.map(markedPeriodOf));
  return reached.filter((found, index) =>
    found.reached.some((threshold) => marks[index]?.includes(threshold) !== true),
  );
}
