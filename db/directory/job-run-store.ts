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
import { jsonb, type RowOf } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';
import { JOB, JOB_COLUMNS, selectJobs } from './job-rows.ts';

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

const CLAIM = { ...JOB, cursor: jsonb<Partial<SyncCursor>>() };
const CLAIM_COLUMNS = `${JOB_COLUMNS}, cursor`;

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
      return claimed(
        await rowsOf(
          handle,
          CLAIM,
          `update directory_jobs
           set state = 'running', run_id = :runId, started_at = coalesce(started_at, clock_timestamp()),
             dispatched_at = clock_timestamp()
           where id = :id and (state = 'queued' or (state = 'running' and run_id = :runId))
           returning ${CLAIM_COLUMNS}`,
          { id, runId },
        ),
      );
    },

    async note(id: string, { cursor, progress, counts, warnings }: JobNote): Promise<void> {
      await run(
        handle,
        `update directory_jobs set cursor = :cursor, progress = :progress, counts = :counts, warnings = :warnings
         where id = :id`,
        {
          id,
          cursor: JSON.stringify(cursor),
          progress: JSON.stringify(progress),
          counts: JSON.stringify(counts),
          warnings: JSON.stringify(warnings),
        },
      );
    },

    /** Ends an open job and deletes its staged rows. Returns null if it has ended already. */
    async end(id: string, { state, reason, syncedGroups, deletedGroups }: JobEnd): Promise<SyncJob | null> {
      const [job] = await rowsOf(
        handle,
        JOB,
        `update directory_jobs
         set state = :state, error_reason = :reason, synced_groups = :syncedGroups, deleted_groups = :deletedGroups,
           finished_at = clock_timestamp()
         where id = :id and state in ('queued', 'running') returning ${JOB_COLUMNS}`,
        {
          id,
          state,
          reason: reason ?? null,
          syncedGroups: syncedGroups ?? null,
          deletedGroups: deletedGroups ?? null,
        },
      );
      if (job === undefined) return null;
      for (const table of STAGES) await run(handle, `delete from ${table} where job_id = :id`, { id });
      return job;
    },
  };
}

/** Builds the methods that read jobs. */
function jobReads(handle: Handle) {
  return {
    /** Returns the job and locks it until the commit. Null: the job no longer belongs to this run. */
    async lock(id: string, runId: string): Promise<ClaimedJob | null> {
      return claimed(await rowsOf(handle, CLAIM, `${RUNNING} for no key update`, { id, runId }));
    },

    /** Returns the job without a lock. Null: the job no longer belongs to this run. */
    async find(id: string, runId: string): Promise<ClaimedJob | null> {
      return claimed(await rowsOf(handle, CLAIM, RUNNING, { id, runId }));
    },

    /** Returns the job if this run has ended it. */
    async findEnded(id: string, runId: string): Promise<SyncJob | null> {
      const [job] = await selectJobs(
        handle,
        `where id = :id and run_id = :runId and state in ('succeeded', 'failed')`,
        { id, runId },
      );
      return job ?? null;
    },

    /** Makes the job read the whole source instead of changes only. */
    async readAll(id: string): Promise<void> {
      await run(handle, 'update directory_jobs set is_full = true where id = :id', { id });
    },
  };
}

const RUNNING = `
  select ${CLAIM_COLUMNS} from directory_jobs where id = :id and run_id = :runId and state = 'running'`;

function claimed([row]: RowOf<typeof CLAIM>[]): ClaimedJob | null {
  if (row === undefined) return null;
  const { cursor, ...job } = row;
  return { job, cursor: { ...FIRST_CURSOR, ...cursor } };
}
