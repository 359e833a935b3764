/** Finds the video job that a provider's callback concerns, and records the callback. */
import type { Handle } from '../postgres/connection.ts';
import { anyRows } from '../postgres/results.ts';
import { bool, type RowOf, text } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

/** The job that a vendor's callback is about. */
export interface CallbackTarget {
  jobId: string;
  isOpen: boolean;
  /** The submission that is pending or was accepted. */
  live: { provider: string; operationId: string | null } | null;
}

const TARGET = { jobId: text, isOpen: bool, provider: text.orNull, operationId: text.orNull };

const TARGETS = `
  select j.id "jobId", j.status in ('pending', 'in_progress') "isOpen", s.provider, s.operation ->> 'id' "operationId"
  from video_jobs j
  left join job_submissions s on s.job_id = j.id and s.state in ('sending', 'accepted')`;

/** Reads jobs for callbacks, and writes the few columns that callbacks may change. */
export function createCallbackStore(handle: Handle) {
  return {
    async findByJob(jobId: string): Promise<CallbackTarget | null> {
      const [row] = await rowsOf(handle, TARGET, `${TARGETS} where j.id = :jobId`, { jobId });
      return toTarget(row);
    },

    /** Returns the job by the vendor's id of any submission, including abandoned ones. */
    async findByOperation(provider: string, operationId: string): Promise<CallbackTarget | null> {
      const [row] = await rowsOf(
        handle,
        TARGET,
        `${TARGETS} where j.id = (
           select job_id from job_submissions
           where provider = :provider and operation is not null and operation ->> 'id' = :operationId limit 1)`,
        { provider, operationId },
      );
      return toTarget(row);
    },

    async noteVendorStatus(jobId: string, vendorStatus: string): Promise<void> {
      await run(
        handle,
        `update video_jobs set vendor_status = :vendorStatus, updated_at = now()
         where id = :jobId and status in ('pending', 'in_progress')`,
        { jobId, vendorStatus },
      );
    },

    /**
     * Returns true to one caller only, which may signal the job's run. If that caller fails, nobody else signals:
     * polling finds the result anyway.
     */
    claimSignal: (jobId: string): Promise<boolean> =>
      anyRows(
        handle,
        `update video_jobs set callback_signalled_at = now(), updated_at = now()
         where id = :jobId and status in ('pending', 'in_progress') and callback_signalled_at is null`,
        { jobId },
      ),
  };
}

function toTarget(row: RowOf<typeof TARGET> | undefined): CallbackTarget | null {
  if (row === undefined) return null;
  const { jobId, isOpen, provider, operationId } = row;
  return { jobId, isOpen, live: provider === null ? null : { provider, operationId } };
}
