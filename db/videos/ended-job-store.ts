/** Deletes video jobs past their retention, with all rows that belong to them. */
import type { Handle } from '../postgres/connection.ts';
import { text } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

/**
 * SQL: a job may be deleted: its generation is dropped, its files are removed, and no webhook is pending. The time in
 * the generation's id selects its partition.
 */
const IS_DELETABLE = `
  not exists (select from generations g where g.id = j.generation_id
    and g.created_at = to_timestamp(split_part(j.generation_id, '-', 2)::bigint / 1000.0))
  and not exists (select from job_outputs o where o.job_id = j.id and o.removed_at is null)
  and not exists (select from intended_outputs i where i.job_id = j.id)
  and not exists (select from webhook_deliveries d where d.job_id = j.id and d.status = 'pending')`;

/**
 * SQL: no open job continues this one. The submission of an open job needs the provider's handle of the job that it
 * continues.
 */
const NOT_CONTINUED = `
  not exists (select from video_jobs c where c.previous_job_id = j.id and c.status in ('pending', 'in_progress'))`;

/** Statements that delete a job's rows, children before parents. */
const DELETE_CHILDREN = [
  `delete from webhook_attempts a using webhook_deliveries d where a.delivery_id = d.id and d.job_id = any(:ids)`,
  `delete from webhook_deliveries where job_id = any(:ids)`,
  `delete from job_outputs where job_id = any(:ids)`,
  `delete from job_submissions where job_id = any(:ids)`,
  `delete from job_requests where job_id = any(:ids)`,
  `update video_jobs set previous_job_id = null where previous_job_id = any(:ids)`,
];

/**
 * Deletes up to `limit` jobs that ended more than `retentionMs` ago, the oldest first, with submissions, outputs,
 * webhook deliveries and attempts, in one transaction. Returns the number. A job stays for a later call if it is
 * locked, its generation exists, its files are not removed, its webhook is pending, or an open job continues it.
 * Repeatable.
 */
export async function deleteEndedJobs(handle: Handle, retentionMs: number, limit: number): Promise<number> {
  return handle.transaction(async (transaction) => {
    const locked = await rowsOf(
      transaction,
      { id: text },
      `select j.id from video_jobs j
       where j.ended_at < now() - :retentionMs * interval '1 millisecond' and ${IS_DELETABLE} and ${NOT_CONTINUED}
       order by j.ended_at limit :limit for update of j skip locked`,
      { retentionMs, limit },
    );
    // Jobs that continue these could be accepted until the lock was taken, so check again.
    const rows = await rowsOf(
      transaction,
      { id: text },
      `select j.id from video_jobs j where j.id = any(:ids) and ${NOT_CONTINUED}`,
      { ids: locked.map(({ id }) => id) },
    );
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return 0;
    for (const statement of DELETE_CHILDREN) await run(transaction, statement, { ids });
    return run(transaction, `delete from video_jobs where id = any(:ids)`, { ids });
  });
}
