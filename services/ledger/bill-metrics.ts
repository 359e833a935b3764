/** Counts bills that an operator should look at. */
import { BILLING_FLAGS, type BillingFlag } from '../../domain/videos/billing-flag.ts';
import type { Metrics } from '../../platform/metrics.ts';

/** Creates the function that counts a flagged bill. */
export function createBillMetrics(metrics: Metrics): (flag: BillingFlag) => void {
  const counter = metrics.counter({
    name: 'sluice_bills_flagged_total',
    help: 'Bills by units of providers that an operator should look at, by the reason.',
    labels: ['reason'],
  });
  const counts = new Map(BILLING_FLAGS.map((reason) => [reason, counter({ reason })]));
  return (flag) => counts.get(flag)?.();
}
