import type { Handle } from '../connection.ts';
import { rowsOf } from '../connection.ts';

/** A job as a vendor's callback finds it. */
export interface CallbackTarget {
  jobId: string;
  isOpen: boolean;
  /** The submission that is under way or was accepted. */
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

/** What a callback may read of a job, and the little that it may write. */
export function createCallbackStore(handle: Handle) {
  return {
    async findByJob(jobId: string): Promise<CallbackTarget | null> {
      const rows = await rowsOf<CallbackTargetRow>(handle, `${TARGET} where j.id = ?`, [jobId]);
      return toTarget(rows[0]);
    },

    /** By the vendor's id of any submission, also of one that was given up. */
    async findByOperation(provider: string, operationId: string): Promise<CallbackTarget | null> {
      const rows = await rowsOf<CallbackTargetRow>(
        handle,
        `${TARGET} where j.id = (
           select job_id from job_submissions
           where provider = ? and operation is not null and operation ->> 'id' = ? limit 1)`,
        [provider, operationId],
      );
      return toTarget(rows[0]);
    },

    async noteWord(jobId: string, word: string): Promise<void> {
      await handle.raw(
        `update video_jobs set upstream_word = ?, updated_at = now()
         where id = ? and status in ('pending', 'in_progress')`,
        [word, jobId],
      );
    },

    /** True for the one caller that may signal the job's run. Never undone: polling goes on without a signal. */
    async claimSignal(jobId: string): Promise<boolean> {
      const rows = await rowsOf<{ id: string }>(
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
