/** Records what providers report as billed for video jobs, and which bills are unusual. */
import type { VendorReport } from '../../domain/catalog/video-meters.ts';
import type { Nanos } from '../../domain/money.ts';
import type { BillingFlag } from '../../domain/videos/billing-flag.ts';
import type { Handle } from '../postgres/connection.ts';
import { run } from '../postgres/statement.ts';

export function createVideoBillStore(handle: Handle) {
  return {
    /**
     * Records the units that the provider reported for a submission of an open job, and what the job costs by them.
     * The first report stays, so that a repeated check cannot change the bill. Locks the job before its submission, as
     * the settlement does.
     */
    async noteReport(
      jobId: string,
      n: number,
      report: VendorReport | null,
      chargeNanos: Nanos | null,
    ): Promise<void> {
      await run(
        handle,
        `with job as (
           select id from video_jobs where id = :jobId and status in ('pending', 'in_progress') for no key update
         )
         update job_submissions s set report = :report::jsonb, charge_nanos = :charge::numeric
         from job where s.job_id = job.id and s.n = :n and s.report is null`,
        {
          jobId,
          n,
          report: report && JSON.stringify(report),
          charge: chargeNanos === null ? null : chargeNanos.toString(),
        },
      );
    },

    /** Records why an operator should look at the bill of a job. */
    async flag(jobId: string, flag: BillingFlag): Promise<void> {
      await run(handle, `update video_jobs set billing_flag = :flag where id = :jobId`, { jobId, flag });
    },
  };
}
