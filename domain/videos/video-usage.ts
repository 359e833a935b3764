/** Describes to customers how the units of a video job were counted. */
import type { VendorReport } from '../catalog/video-meters.ts';
import type { BillingFlag } from './billing-flag.ts';

/** The fields of a job's usage, as the API and the webhook have them. */
export interface MeteredUsage {
  units: Record<string, number> | undefined;
  is_estimated: true | undefined;
}

export function meteredUsageOf(
  report: VendorReport | null | undefined,
  flag: BillingFlag | null | undefined,
): MeteredUsage {
  const units = Object.entries(report ?? {}).map(([meter, amount]) => [meter, Number(amount)] as const);
  return {
    units: units.length === 0 ? undefined : Object.fromEntries(units),
    is_estimated: flag === 'not_reported' ? true : undefined,
  };
}
