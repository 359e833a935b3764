/** Lets one run at a time claim a directory sync, and stores its progress and result. */
import {
  type SyncCounts,
  type SyncFailure,
  type SyncJob,
  type SyncProgress,
  type SyncWarning,
} from '../../domain/directory/job.ts';
import { FIRST_CURSOR, type SyncCursor } from '../../domain/directory/sync-cursor.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import { type JobRow, toJob } from './job-rows.ts';

/** A job that a run has claimed, with its progress. */
export interface ClaimedJob {
  job: SyncJob;
  cursor: SyncCursor;
}

export interface JobEnd {
  state: 'succeeded' | 'failed';
  reason?: SyncFailure;
  syncedGroups?: number;
  deletedGroups?: number;
}

/** The progress that a run writes into its job's row. */
export interface JobNote {
  cursor: SyncCursor;
  progress: SyncProgress;
  counts: Partial<SyncCounts>;
  warnings: SyncWarning[];
}

const STAGES = [
  'directory_stage_members',
  'directory_stage_groups',
  'directory_stage_people',
  'directory_job_people',
];

/**
 * Stores the progress of a run in its job's row. Call `lock` before `note`: it returns null to a run that has lost its
 * job to another run.
 */
export function createJobRunStore(handle: Handle) {
  return {
    ...jobReads(handle),

    /**
     * Claims a queued job, or returns the job that this run has claimed already. Null: the job has ended, or another
     * run has claimed it.
     */
    async claim(id: string, runId: string): Promise<ClaimedJob | null> {
      const rows = await uncheckedRowsOf<JobRow>(
        handle,
        `update directory_jobs
         set state = 'running', run_id = ?, started_at = coalesce(started_at, clock_timestamp()),
           dispatched_at = clock_timestamp()
         where id = ? and (state = 'queued' or (state = 'running' and run_id = ?))
         returning *`,
        [runId, id, runId],
      );
      return claimed(rows[0]);
    },

    async note(id: string, { cursor, progress, counts, warnings }: JobNote): Promise<void> {
      await handle.raw(
        `update directory_jobs set cursor = ?::jsonb, progress = ?::jsonb, counts = ?::jsonb, warnings = ?::jsonb
         where id = ?`,
        [...[cursor, progress, counts, warnings].map((value) => JSON.stringify(value)), id],
      );
    },

    /** Ends an open job and deletes its staged rows. Returns null if it has ended already. */
    async end(id: string, { state, reason, syncedGroups, deletedGroups }: JobEnd): Promise<SyncJob | null> {
      const rows = await uncheckedRowsOf<JobRow>(
        handle,
        `update directory_jobs
         set state = ?, error_reason = ?, synced_groups = ?, deleted_groups = ?, finished_at = clock_timestamp()
         where id = ? and state in ('queued', 'running') returning *`,
        [state, reason ?? null, syncedGroups ?? null, deletedGroups ?? null, id],
      );
      if (rows[0] === undefined) return null;
      for (const table of STAGES) await handle(table).where({ job_id: id }).delete();
      return toJob(rows[0]);
    },
  };
}

/** Builds the methods that read jobs. */
function jobReads(handle: Handle) {
  return {
    /** Returns the job and locks it until the commit. Null: the job no longer belongs to this run. */
    async lock(id: string, runId: string): Promise<ClaimedJob | null> {
      const rows = await uncheckedRowsOf<JobRow>(
        handle,
        `select * from directory_jobs where id = ? and run_id = ? and state = 'running' for no key update`,
        [id, runId],
      );
      return claimed(rows[0]);
    },

    /** Returns the job without a lock. Null: the job no longer belongs to this run. */
    async find(id: string, runId: string): Promise<ClaimedJob | null> {
      return claimed(
        await handle<JobRow & { run_id: string }>('directory_jobs')
          .where({ id, run_id: runId, state: 'running' })
          .first(),
      );
    },

    /** Returns the job if this run has ended it. */
    async findEnded(id: string, runId: string): Promise<SyncJob | null> {
      const row = await handle<JobRow & { run_id: string }>('directory_jobs')
        .where({ id, run_id: runId })
        .whereIn('state', ['succeeded', 'failed'])
        .first();
      return row === undefined ? null : toJob(row);
    },

    /** Makes the job read the whole source instead of changes only. */
    async readAll(id: string): Promise<void> {
      await handle('directory_jobs').where({ id }).update({ is_full: true });
    },
  };
}

function claimed(row: JobRow | undefined): ClaimedJob | null {
  return row === undefined ? null : { job: toJob(row), cursor: { ...FIRST_CURSOR, ...row.cursor } };
}
