/** Records the files of video jobs in the object store, and finds the expired ones. */
import type { Handle } from '../postgres/connection.ts';
import { onlyColumn } from '../postgres/results.ts';
import { int2, selectList, text } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

export interface StoredOutput {
  jobId: string;
  index: number;
  objectKey: string;
  contentType: string;
  bytes: number;
  /** Hex digits in lower case. */
  sha256: string;
}

/** A file with its key in the object store. */
export interface OutputFile {
  index: number;
  objectKey: string;
}

/** The position of a file in the order of reading. */
export interface OutputPosition {
  jobId: string;
  index: number;
}

const BEFORE_ALL: OutputPosition = { jobId: '', index: 0 };

const EXPIRED = { jobId: text, index: int2, objectKey: text };

/** Stores where the files of jobs are. Readers see only files that `confirm` has recorded. */
export function createJobOutputStore(handle: Handle) {
  return {
    ...outputExpiry(handle),

    /**
     * Records files before they are uploaded. Returns the indexes of those to upload: all that are not confirmed, or
     * none if the job has ended.
     */
    intend: (jobId: string, files: OutputFile[]): Promise<number[]> =>
      onlyColumn(
        handle,
        { index: int2 },
        `insert into intended_outputs (job_id, index, object_key)
         select j.id, f.index, f.object_key
         from video_jobs j, unnest(:indexes::smallint[], :objectKeys::text[]) f (index, object_key)
         where j.id = :jobId and j.status in ('pending', 'in_progress')
           and not exists (select from job_outputs o where o.job_id = j.id and o.index = f.index)
         on conflict (job_id, index) do update set object_key = excluded.object_key
         returning index`,
        {
          jobId,
          indexes: files.map(({ index }) => index),
          objectKeys: files.map(({ objectKey }) => objectKey),
        },
      ),

    /**
     * Records that the file is in the object store. A repeated upload replaces the row, even after the file was
     * removed.
     */
    async confirm(output: StoredOutput): Promise<void> {
      await run(
        handle,
        `with held as (
           insert into job_outputs (job_id, index, object_key, content_type, bytes, sha256)
           values (:jobId, :index, :objectKey, :contentType, :bytes, :sha256)
           on conflict (job_id, index) do update
             set object_key = excluded.object_key, content_type = excluded.content_type,
                 bytes = excluded.bytes, sha256 = excluded.sha256, removed_at = null
           returning job_id, index
         )
         delete from intended_outputs i using held where i.job_id = held.job_id and i.index = held.index`,
        { ...output },
      );
    },
  };
}

/** Builds the methods that find expired files and record their removal. */
function outputExpiry(handle: Handle) {
  return {
    /**
     * Returns the next files to remove: expired outputs, outputs of jobs that ended without them, and unconfirmed files
     * of jobs that ended `abandonedAfterMs` ago.
     */
    expired(
      after: OutputPosition | undefined,
      limit: number,
      abandonedAfterMs: number,
    ): Promise<(OutputPosition & OutputFile)[]> {
      const { jobId, index } = after ?? BEFORE_ALL;
      // Each branch has its own limit and index; one limit outside of the branches would read both completely. Each
      // table has its own starting condition, because a merge join would otherwise read it from its beginning.
      return rowsOf(
        handle,
        EXPIRED,
        `(select ${selectList(EXPIRED, 'o')} from job_outputs o join video_jobs j on j.id = o.job_id
          where o.removed_at is null and (o.job_id, o.index) > (:jobId, :index) and j.id >= :jobId
            and (j.outputs_expire_at <= now() or j.status in ('failed', 'cancelled', 'expired'))
          order by o.job_id, o.index limit :limit)
         union all
         (select ${selectList(EXPIRED, 'i')} from intended_outputs i join video_jobs j on j.id = i.job_id
          where (i.job_id, i.index) > (:jobId, :index) and j.id >= :jobId
            and j.ended_at < now() - :abandonedAfterMs * interval '1 millisecond'
            and not exists (select from job_outputs o
                            where o.job_id = i.job_id and o.index = i.index and o.removed_at is null
                              and o.job_id >= :jobId)
          order by i.job_id, i.index limit :limit)
         order by "jobId", index limit :limit`,
        { jobId, index, limit, abandonedAfterMs },
      );
    },

    async markRemoved({ jobId, index }: OutputPosition): Promise<void> {
      await run(
        handle,
        `with forgotten as (delete from intended_outputs where job_id = :jobId and index = :index)
         update job_outputs set removed_at = now() where job_id = :jobId and index = :index and removed_at is null`,
        { jobId, index },
      );
    },
  };
}
