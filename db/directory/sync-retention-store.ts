import { CHANGE_RETENTION_MS } from '../../domain/directory/job.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

/** Deletes old data of syncs. */
export function createSyncRetentionStore(handle: Handle) {
  return {
    /** Deletes the next jobs past their retention, with their changes. Returns the number. */
    async deleteEndedJobs(limit: number): Promise<number> {
      const rows = await uncheckedRowsOf<{ id: string }>(
        handle,
        `delete from directory_jobs where id = any(array(
           select id from directory_jobs where finished_at < now() - ? * interval '1 millisecond'
           order by finished_at limit ?))
         returning id`,
        [CHANGE_RETENTION_MS, limit],
      );
      return rows.length;
    },

    /** Deletes the next changes past their retention, including those of pushes. Returns the number. */
    async deleteOldChanges(limit: number): Promise<number> {
      const rows = await uncheckedRowsOf<{ n: string }>(
        handle,
        `delete from directory_changes where n = any(array(
           select n from directory_changes where created_at < now() - ? * interval '1 millisecond'
           order by created_at limit ?))
         returning n`,
        [CHANGE_RETENTION_MS, limit],
      );
      return rows.length;
    },
  };
}
