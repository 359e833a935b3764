/** Reads the bills of video jobs that an operator should look at. */
import type { VendorReport } from '../../domain/catalog/video-meters.ts';
import { BILLING_FLAGS } from '../../domain/videos/billing-flag.ts';
import type { Handle } from '../postgres/connection.ts';
import { jsonb, numeric, oneOf, type RowOf, text, timestamptz } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';

const FLAGGED_BILL = {
  jobId: text,
  endpointId: text,
  flag: oneOf(BILLING_FLAGS),
  endedAt: timestamptz,
  report: jsonb<VendorReport>().orNull,
  /** In nanodollars, like the cost. */
  estimateNanos: numeric,
  costNanos: numeric,
};
export type FlaggedBill = RowOf<typeof FLAGGED_BILL>;

/** Lists flagged bills of all organizations, newest first. */
export function listFlaggedBills(handle: Handle, limit: number): Promise<FlaggedBill[]> {
  return rowsOf(
    handle,
    FLAGGED_BILL,
    `select j.id "jobId", s.endpoint_id "endpointId", j.billing_flag flag, j.ended_at "endedAt", s.report,
       (j.terms -> s.endpoint_id ->> 'estimateNanos')::numeric "estimateNanos", coalesce(j.cost_nanos, 0) "costNanos"
     from video_jobs j join job_submissions s on s.job_id = j.id and s.state = 'accepted'
     where j.billing_flag is not null order by j.ended_at desc limit :limit`,
    { limit },
  );
}
