import { CHANGE_RETENTION_MS } from '../../domain/directory/job.ts';
import type { Handle } from '../postgres/connection.ts';
import { run } from '../postgres/statement.ts';

/** Deletes old data of syncs. */
export function createSyncRetentionStore(handle: Handle) {
  return {
    /** Deletes the next jobs past their retention, with their changes. Returns the number. */
    deleteEndedJobs: (limit: number): Promise<number> =>
      run(
        handle,
        `delete from directory_jobs where id = any(array(
           select id from directory_jobs where finished_at < now() - :ageMs * interval '1 millisecond'
           order by finished_at limit :limit))`,
        { ageMs: CHANGE_RETENTION_MS, limit },
      ),

    /** Deletes the next changes past their retention, including those of pushes. Returns the number. */
    deleteOldChanges: (limit: number): Promise<number> =>
      run(
        handle,
        `delete from directory_changes where n = any(array(
           select n from directory_changes where created_at < now() - :ageMs * interval '1 millisecond'
           order by created_at limit :limit))`,
        { ageMs: CHANGE_RETENTION_MS, limit },
      ),
  };
}
