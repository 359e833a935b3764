/** Writes a budget alert once for each threshold and period, and queues its webhook. */
import { createBudgetAlertStore, type MarkedPeriod } from '../../../db/ledger/budget-alert-store.ts';
import type { BudgetLimit } from '../../../db/accounts/budget-limit-read-model.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import type { WebhookDelivery } from '../../../db/webhooks/webhook-store.ts';
import {
  type BudgetAlert,
  budgetEventId,
  type PeriodSpending,
  reachedThresholds,
} from '../../../domain/ledger/budget-alert.ts';
import { type RenderedEvent, writeEvent } from '../../webhooks/write-event.ts';

export interface WriteAlertDeps {
  knex: Handle;
  /** Renders the body of the event and checks it against the contract. */
  renderAlert(alert: BudgetAlert): RenderedEvent;
}

/** A limit in one of its periods, with the thresholds that it has reached, in ascending order. */
export interface ReachedLimit {
  limit: BudgetLimit;
  spending: PeriodSpending;
  reached: number[];
}

/** Returns the period under which the thresholds of the limit are marked. */
export function markedPeriodOf({ limit, spending }: ReachedLimit): MarkedPeriod {
  return { payer: limit.payer, payerId: limit.payerId, period: spending.period };
}

/**
 * Marks the thresholds and writes the event for the highest one to the outbox, in one transaction. `isFirst` is false
 * when it was marked before, or when spending had reached a higher one. `delivery` is null when the alert has no
 * receiver.
 */
export async function writeAlert(
  { knex, renderAlert }: WriteAlertDeps,
  found: ReachedLimit,
  at: Date,
): Promise<{ isFirst: boolean; delivery: WebhookDelivery | null }> {
  const { limit, spending, reached } = found;
  return knex.transaction(async (transaction) => {
    const store = createBudgetAlertStore(transaction);
    const bySpending = reachedThresholds(limit.alertThresholds, spending);
    const byRefusal = reached.filter((one) => !bySpending.includes(one));
    if (!(await store.mark(markedPeriodOf(found), reached, spending.endsAt, byRefusal))) {
      return { isFirst: false, delivery: null };
    }
    const { payer, shownId, organizationId, workspaceId, interval } = limit;
    const threshold = Math.max(...reached);
    const alert: BudgetAlert = { ...spending, payer, shownId, workspaceId, interval, threshold, at };
    const delivery = await writeEvent(transaction, {
      ...renderAlert(alert),
      organizationId,
      workspaceId: workspaceId ?? undefined,
      eventId: budgetEventId(alert),
    });
    return { isFirst: true, delivery };
  });
}
