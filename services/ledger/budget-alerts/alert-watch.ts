/** Compares the spending of payers with the thresholds of their budget alerts. */
import { createBudgetLimitReadModel } from '../../../db/accounts/budget-limit-read-model.ts';
import type { WebhookDelivery } from '../../../db/webhooks/webhook-store.ts';
import type { Ceiling } from '../../../domain/ceiling.ts';
import {
  type PeriodSpending,
  periodSpending,
  reachedThresholds,
} from '../../../domain/ledger/budget-alert.ts';
import type { Window } from '../spending/payer.ts';
import { type BudgetAlertDeps, checkLimits, periodKey } from './check-limits.ts';

export interface AlertWatchOptions extends BudgetAlertDeps {
  /** Starts the workflow of a committed event. When that fails, the sweep starts it. */
  start(delivery: WebhookDelivery): Promise<void>;
}

/**
 * The largest number of payers that one call queries. The next call, after the next read of the counters, queries the
 * others.
 */
const PAGE = 500;
/**
 * The largest number of periods whose highest threshold is cached. Above it the cache is emptied, and each period costs
 * one more query.
 */
const MAX_CACHED_PERIODS = 10_000;

/** A period in which spending has reached a threshold, as far as this process knows. */
interface Reached {
  window: Window;
  period: string;
  threshold: number;
  /** True: the limit refused a request in this period. */
  isRefusing: boolean;
}

/** Creates the watch. Its memory is only a hint: `checkLimits` reads limits and counters again and decides. */
export function createAlertWatch(options: AlertWatchOptions) {
  const { knex, logger, start } = options;
  const limits = createBudgetLimitReadModel(knex);
  const highest = new Map<string, number>();
  let underWay: Promise<void> | undefined;
  let isClosed = false;

  const isNew = ({ period, threshold }: Reached): boolean => (highest.get(period) ?? 0) < threshold;
  const writeAlerts = async (reached: Reached[]): Promise<void> => {
    const payers = reached.map(({ window }) => window.payer);
    const refusing = new Set(reached.filter(({ isRefusing }) => isRefusing).map(({ period }) => period));
    const unwritten = new Set<string>();
    const written = await checkLimits(options, await limits.of(payers), {
      refusing,
      onUnwritten: (period) => unwritten.add(period),
    });
    if (highest.size > MAX_CACHED_PERIODS) highest.clear();
    for (const { period, threshold } of reached) if (!unwritten.has(period)) highest.set(period, threshold);
    await startAll(written.filter((delivery) => delivery !== null));
  };
  /**
   * Starts the workflows of events and stops at the first failure: each failure may take seconds, and the sweep
   * starts the others as well.
   */
  const startAll = async (deliveries: WebhookDelivery[]): Promise<void> => {
    try {
      for (const delivery of deliveries) if (!isClosed) await start(delivery);
    } catch (error) {
      logger.warn({ err: error }, 'alerts are written but not sent yet; the sweep sends them');
    }
  };

  return {
    /**
     * Compares the counters in memory with limits, and queries Postgres only for payers that have newly reached a
     * threshold. Does nothing while an earlier call is running. Resolves when that call has ended; never rejects.
     */
    async check(windows: readonly Window[]): Promise<void> {
      if (underWay === undefined && !isClosed) {
        const reached = windows.flatMap(reachedIn).filter(isNew).slice(0, PAGE);
        if (reached.length === 0) return;
        underWay = writeAlerts(reached)
          .catch((error: unknown) => logger.warn({ err: error }, 'budget alerts are not written yet'))
          .finally(() => (underWay = undefined));
      }
      await underWay;
    },
    /** Resolves when no call is running. */
    async close(): Promise<void> {
      isClosed = true;
      await underWay;
    },
  };
}

/** Looks for budget alerts in the counters that an API process has in memory. */
export type AlertWatch = ReturnType<typeof createAlertWatch>;

/**
 * Returns the highest threshold that the window has reached, by its spending or by a refusal. Returns nothing for a
 * window whose counters were not read, or without a ceiling.
 */
function reachedIn(window: Window): Reached[] {
  const { payer, ceiling, counters, sinceDay } = window;
  if (ceiling?.alertThresholds === undefined || counters === null) return [];
  const spending = periodSpending(ceiling, sinceDay, counters);
  if (spending === null) return [];
  const isRefusing = refusedIn(window, ceiling, spending);
  const reached = reachedThresholds(ceiling.alertThresholds, spending, isRefusing);
  const threshold = reached.at(-1);
  if (threshold === undefined) return [];
  const period = periodKey({ payer: payer.kind, payerId: `${payer.id}` }, spending);
  return [{ window, period, threshold, isRefusing }];
}

/** Returns whether the last refusal belongs to the period, and to the limit as it is now. */
function refusedIn(
  { refusal }: Window,
  { limit }: Ceiling,
  { startsAt }: Pick<PeriodSpending, 'startsAt'>,
): boolean {
  if (refusal === null || refusal.limit !== limit) return false;
  return startsAt === null || startsAt.getTime() <= refusal.atMs;
}
