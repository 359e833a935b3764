/** Decides which bills of video jobs an operator should look at. */
import { toMicros } from '../amount.ts';
import type { Meter, VendorReport } from '../catalog/video-meters.ts';
import type { TerminalStatus } from './job.ts';
import { costOfReport, type VideoTerms } from './video-price.ts';

/**
 * The reasons to look at a bill.
 * - `not_reported`: the vendor did not report all units, and the documented number of the others was billed.
 * - `above_estimate`: the reported units cost more than three times the estimate.
 * - `below_estimate`: the reported units of a completed job cost less than a third of it, or nothing.
 * - `billed_without_video`: the vendor reported units for a job that the customer does not pay.
 */
export const BILLING_FLAGS = [
  'not_reported',
  'above_estimate',
  'below_estimate',
  'billed_without_video',
] as const;
export type BillingFlag = (typeof BILLING_FLAGS)[number];

/** The factor between report and estimate from which on a bill is flagged. */
const FAR = 3n;

/** Returns the reason to look at the bill of an ended job; null if there is none. */
export function billingFlagOf(
  status: TerminalStatus,
  terms: VideoTerms,
  report: VendorReport | null,
): BillingFlag | null {
  const units = Object.keys(terms.meters).map((meter) => report?.[meter as Meter]);
  const isReported = units.some((amount) => amount !== undefined);
  if (status === 'failed' || status === 'expired') {
    return units.some((amount) => amount !== undefined && toMicros(amount) > 0n)
      ? 'billed_without_video'
      : null;
  }
  // A provider that stops a job may report nothing, and usually reports less.
  if (status === 'cancelled' && !isReported) return null;
  const cost = costOfReport(terms, report ?? {});
  const estimate = BigInt(terms.estimateNanos);
  if (cost > FAR * estimate) return 'above_estimate';
  if (status === 'cancelled') return null;
  if (units.includes(undefined)) return 'not_reported';
  return cost * FAR < estimate ? 'below_estimate' : null;
}
