/** Reads how much of each limit a key's requests have spent, for the operation that describes the caller's own key. */
import type { CounterQuery } from '../../../db/ledger/payer-counters.ts';
import type { WorkspaceBudgetStore } from '../../../db/accounts/workspace-budget-store.ts';
import type { Nanos } from '../../../domain/money.ts';
import type { Principal } from '../../../domain/principal.ts';
import {
  addSpend,
  countedUnder,
  midnightOf,
  type PayerCounters,
  periodEnd,
  periodStart,
  type Spend,
  utcDay,
} from '../../../domain/ledger/spending-limit.ts';
import type { Ceiling, LimitInterval } from '../../../domain/ceiling.ts';

/** A limit that applies to the requests of a key. */
export interface KeyBudget {
  /** The id of the workspace's budget; null for the key's own limit. */
  workspaceBudgetId: string | null;
  interval: LimitInterval;
  limitNanos: Nanos;
  /** The amount that counts against the limit, including the possible cost of open jobs. */
  spentNanos: Nanos;
  includeByok: boolean;
  /** The time of the next reset; null for a limit that never resets. */
  resetsAt: Date | null;
}

export interface KeyBudgetDeps {
  budgets: Pick<WorkspaceBudgetStore, 'list'>;
  counters: { read(queries: CounterQuery[]): Promise<PayerCounters[]> };
}

type Budgeted = Ceiling & { limit: Nanos };

/**
 * Returns the limits of the key and of its workspace in the order in which they refuse requests. Credit is not
 * included.
 */
export async function readKeyBudgets(
  { budgets, counters }: KeyBudgetDeps,
  { keyId, workspaceId, ceilings = [] }: Principal,
  reserved: Spend,
  now: Date,
): Promise<KeyBudget[]> {
  const limits = ceilings.filter((ceiling): ceiling is Budgeted => ceiling.limit !== 'credit');
  if (limits.length === 0) return [];
  const day = utcDay(now.getTime());
  const [stored, answers] = await Promise.all([
    budgets.list(workspaceId),
    counters.read(
      limits.map(({ payer, interval }) => ({
        payer,
        id: payer === 'key' ? keyId : workspaceId,
        sinceDay: periodStart(interval, day),
      })),
    ),
  ]);
  return limits.map((ceiling, at) => {
    const { spent, open } = answers[at]!;
    const { interval, payer } = ceiling;
    const budget = payer === 'key' ? undefined : stored.find((one) => one.interval === interval);
    const counted = addSpend(spent, payer === 'key' ? addSpend(open, reserved) : open);
    return {
      workspaceBudgetId: budget?.id ?? null,
      interval,
      limitNanos: ceiling.limit,
      spentNanos: countedUnder(ceiling, counted),
      includeByok: ceiling.includeByok,
      resetsAt: resetsAt(interval, day),
    };
  });
}

function resetsAt(interval: LimitInterval, day: number): Date | null {
  if (interval === 'lifetime') return null;
  return midnightOf(periodEnd(interval, periodStart(interval, day) ?? day));
}
