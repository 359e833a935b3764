/** Finds the video job that a provider's callback concerns, and records the callback. */
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

/** The job that a vendor's callback is about. */
export interface CallbackTarget {
  jobId: string;
  isOpen: boolean;
  /** The submission that is pending or was accepted. */
  live: { provider: string; operationId: string | null } | null;
}

interface CallbackTargetRow {
  id: string;
  is_open: boolean;
  provider: string | null;
  operation_id: string | null;
}

const TARGET = `
  select j.id, j.status in ('pending', 'in_progress') as is_open, s.provider, s.operation ->> 'id' as operation_id
  from video_jobs j
  left join job_submissions s on s.job_id = j.id and s.state in ('sending', 'accepted')`;

/** Reads jobs for callbacks, and writes the few columns that callbacks may change. */
export function createCallbackStore(handle: Handle) {
  return {
    async findByJob(jobId: string): Promise<CallbackTarget | null> {
      const rows = await uncheckedRowsOf<CallbackTargetRow>(handle, `${TARGET} where j.id = ?`, [jobId]);
      return toTarget(rows[0]);
    },

    /** Returns the job by the vendor's id of any submission, including abandoned ones. */
    async findByOperation(provider: string, operationId: string): Promise<CallbackTarget | null> {
      const rows = await uncheckedRowsOf<CallbackTargetRow>(
        handle,
        `${TARGET} where j.id = (
           select job_id from job_submissions
           where provider = ? and operation is not null and operation ->> 'id' = ? limit 1)`,
        [provider, operationId],
      );
      return toTarget(rows[0]);
    },

    async noteVendorStatus(jobId: string, vendorStatus: string): Promise<void> {
      await handle.raw(
        `update video_jobs set vendor_status = ?, updated_at = now()
         where id = ? and status in ('pending', 'in_progress')`,
        [vendorStatus, jobId],
      );
    },

    /**
     * Returns true to one caller only, which may signal the job's run. If that caller fails, nobody else signals:
     * polling finds the result anyway.
     */
    async claimSignal(jobId: string): Promise<boolean> {
      const rows = await uncheckedRowsOf<{ id: string }>(
        handle,
        `update video_jobs set callback_signalled_at = now(), updated_at = now()
         where id = ? and status in ('pending', 'in_progress') and callback_signalled_at is null
         returning id`,
        [jobId],
      );
      return rows.length > 0;
    },
  };
}

function toTarget(row: CallbackTargetRow | undefined): CallbackTarget | null {
  if (row === undefined) return null;
  const { id: jobId, is_open: isOpen, provider, operation_id: operationId } = row;
  return { jobId, isOpen, live: provider === null ? null : { provider, operationId } };
}
