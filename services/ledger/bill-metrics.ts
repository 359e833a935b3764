/** Counts bills that an operator should look at. */
import type { BillFlag } from '../../domain/ledger/bill.ts';
import { BILLING_FLAGS, type BillingFlag } from '../../domain/videos/billing-flag.ts';
import type { Metrics } from '../../platform/metrics.ts';

/** The reasons to look at a bill: those of bills by units, and those that the ledger keeps. */
export type BillReason = BillingFlag | BillFlag;

const REASONS = new Set<BillReason>([...BILLING_FLAGS, 'estimated', 'unpriced_tier']);

/** Creates the function that counts a flagged bill. */
export function createBillMetrics(metrics: Metrics): (reason: BillReason) => void {
  const counter = metrics.counter({
    name: 'sluice_bills_flagged_total',
    help: 'Bills that an operator should look at, by the reason.',
    labels: ['reason'],
  });
  const counts = new Map([...REASONS].map((reason) => [reason, counter({ reason })]));
  return (reason) => counts.get(reason)?.();
}
