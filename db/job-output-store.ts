import type { Handle } from './connection.ts';
import { rowsOf } from './connection.ts';

export interface StoredOutput {
  jobId: string;
  index: number;
  objectKey: string;
  contentType: string;
  bytes: number;
  /** Lower-case hex. */
  sha256: string;
}

/** Where a job's files lie. */
export function createJobOutputStore(handle: Handle) {
  return {
    /** Storing the same output again after a lost answer replaces the row. */
    async upsert(output: StoredOutput): Promise<void> {
      await handle.raw(
        `insert into job_outputs (job_id, index, object_key, content_type, bytes, sha256)
         values (?, ?, ?, ?, ?, ?)
         on conflict (job_id, index) do update
           set object_key = excluded.object_key, content_type = excluded.content_type,
               bytes = excluded.bytes, sha256 = excluded.sha256`,
        [output.jobId, output.index, output.objectKey, output.contentType, output.bytes, output.sha256],
      );
    },

    async indexesOf(jobId: string): Promise<number[]> {
      const rows = await rowsOf<{ index: number }>(
        handle,
        `select index from job_outputs where job_id = ? order by index`,
        [jobId],
      );
      return rows.map((row) => row.index);
    },

    /** Files that are still held although their time is over, or their job ended without them; oldest first. */
    async expired(limit: number): Promise<{ jobId: string; index: number; objectKey: string }[]> {
      const rows = await rowsOf<{ job_id: string; index: number; object_key: string }>(
        handle,
        `select o.job_id, o.index, o.object_key from job_outputs o join video_jobs j on j.id = o.job_id
         where o.removed_at is null
           and (j.outputs_expire_at <= now() or j.status in ('failed', 'cancelled', 'expired'))
         order by o.created_at limit ?`,
        [limit],
      );
      return rows.map((row) => ({ jobId: row.job_id, index: row.index, objectKey: row.object_key }));
    },

    async markRemoved(jobId: string, index: number): Promise<void> {
      await handle.raw(
        `update job_outputs set removed_at = now() where job_id = ? and index = ? and removed_at is null`,
        [jobId, index],
      );
    },
  };
}
