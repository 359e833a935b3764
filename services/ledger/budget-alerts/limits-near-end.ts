/** Finds the spending limits of an organization of which little is left. */
import {
  type BudgetLimit,
  createBudgetLimitReadModel,
  type NamedPayer,
} from '../../../db/accounts/budget-limit-read-model.ts';
import { createPayerCounters } from '../../../db/ledger/payer-counters.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { type PeriodSpending, periodSpending } from '../../../domain/ledger/budget-alert.ts';
import { periodStart, utcDay } from '../../../domain/ledger/spending-limit.ts';

/** A limit in its present period, with the name of its payer. */
export interface LimitNearEnd extends Pick<BudgetLimit, 'payer' | 'shownId' | 'workspaceId' | 'interval'> {
  name: string | null;
  spending: PeriodSpending;
}

/** Percent of a limit from which on it is near its end. */
const NEAR_END = 80;

/**
 * Returns limits of which at least 80 % is spent. Looks only at payers with an alert of 80 % or more, since the sums of
 * all keys would be a heavy read. So the limits of workspaces without alerts are left out, and others follow their
 * alert.
 */
export async function limitsNearEnd(
  handle: Handle,
  organizationId: string,
  maxPayers: number,
  nowMs: number,
): Promise<LimitNearEnd[]> {
  const read = createBudgetLimitReadModel(handle);
  const payers = await read.marked(organizationId, NEAR_END, maxPayers);
  if (payers.length === 0) return [];
  const names = new Map(payers.map((payer) => [keyOf(payer.kind, payer.id), payer.name]));
  const today = utcDay(nowMs);
  const limits = await read.of(payers);
  const counters = await createPayerCounters(handle).read(
    limits.map(({ payer, payerId: id, interval }) => ({ payer, id, sinceDay: periodStart(interval, today) })),
  );
  return limits.flatMap((limit, index) => {
    const spending = periodSpending(limit, periodStart(limit.interval, today), counters[index]!);
    if (spending === null || spending.spent * 100n < spending.limit * BigInt(NEAR_END)) return [];
    return [{ ...limit, name: names.get(keyOf(limit.payer, limit.payerId)) ?? null, spending }];
  });
}

function keyOf(kind: NamedPayer['kind'], id: NamedPayer['id']): string {
  return `${kind} ${id}`;
}
