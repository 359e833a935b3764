/** Finds video jobs without a workflow and jobs past their deadline, for the sweep. */
import type { Handle } from '../postgres/connection.ts';
import { anyRows } from '../postgres/results.ts';
import { float8, int4, type RowOf, selectList, text, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';
import { waitingByTurns, waitingOrganizations, type WaitingRows } from '../waiting-organizations.ts';

/** The facts about a job that its start needs. */
const STARTABLE = { id: text, organizationId: uuid, workspaceId: uuid, model: text, provider: text };
export type StartableJob = RowOf<typeof STARTABLE>;

const OVERDUE = {
  id: text,
  provider: text,
  /** The customer's own credential; null for the operator's. */
  credentialId: uuid.orNull,
};
export type OverdueJob = RowOf<typeof OVERDUE>;

/** The started jobs that no run has claimed yet, and the organizations whose jobs are not started yet. */
export interface ClaimQueue {
  /** The number of started jobs of each organization. */
  started: Map<string, number>;
  /** The time that the oldest started job has waited. */
  oldestMs: number;
  undispatched: string[];
}

const UNDISPATCHED: WaitingRows = {
  table: 'video_jobs',
  condition: `status = 'pending' and dispatched_at is null`,
};
/** The number of organizations to which the queue is shared out at a time. */
const MAX_ORGANIZATIONS = 100;

/** The started jobs of an organization that wait, without the age of the oldest if there are none. */
const WAITING = { organizationId: uuid, count: int4, oldestMs: float8.orNull };

/** Builds the queries of the sweep. Each has a limited page and its own partial index (ADR 0009). */
export function createSweepStore(handle: Handle) {
  return {
    ...jobsWithoutRun(handle),
    ...runRecords(handle),

    /**
     * Counts the started jobs that no run has claimed yet, up to `limit`. Jobs that have waited longer than `withinMs`
     * do not count, because they are lost rather than queued.
     */
    async waitingForClaim(withinMs: number, limit: number): Promise<ClaimQueue> {
      const rows = await rowsOf(
        handle,
        WAITING,
        `with ${waitingOrganizations(UNDISPATCHED)}
         select organization_id "organizationId", count(*)::int count,
           (extract(epoch from now() - min(dispatched_at)) * 1000)::float8 "oldestMs"
         from (select organization_id, dispatched_at from video_jobs
               where status = 'pending' and dispatched_at is not null and claimed_at is null
                 and dispatched_at > now() - :withinMs * interval '1 millisecond'
               order by dispatched_at limit :limit) page
         group by organization_id
         union all
         (select organization_id, 0, null from waiting where organization_id is not null limit ${MAX_ORGANIZATIONS})`,
        { withinMs, limit },
      );
      const started = rows.filter(({ count }) => count > 0);
      return {
        started: new Map(started.map(({ organizationId, count }) => [organizationId, count])),
        oldestMs: Math.max(0, ...started.map(({ oldestMs }) => oldestMs ?? 0)),
        undispatched: rows.filter(({ count }) => count === 0).map(({ organizationId }) => organizationId),
      };
    },

    /** Returns whether the job is still not started. */
    async isUndispatched(jobId: string): Promise<boolean> {
      const statement = `select from video_jobs where id = :jobId and status = 'pending' and dispatched_at is null`;
      return anyRows(handle, statement, { jobId });
    },
  };
}

export type SweepStore = ReturnType<typeof createSweepStore>;

/** Builds the methods that find jobs without a working run. */
function jobsWithoutRun(handle: Handle) {
  return {
    /** Returns jobs that were accepted, but not started in Temporal, by turns of their organizations. */
    undispatched: (olderThanMs: number, limit: number): Promise<StartableJob[]> =>
      rowsOf(handle, STARTABLE, waitingByTurns(UNDISPATCHED, selectList(STARTABLE, 'page')), {
        olderThanMs,
        limit,
      }),

    /** Returns jobs past their deadline for so long that their run cannot be healthy. */
    overdue: (olderThanMs: number, limit: number): Promise<OverdueJob[]> =>
      rowsOf(
        handle,
        OVERDUE,
        `select ${selectList(OVERDUE)} from video_jobs
         where status in ('pending', 'in_progress') and deadline_at < now() - :olderThanMs * interval '1 millisecond'
         order by deadline_at limit :limit`,
        { olderThanMs, limit },
      ),

    /** Returns jobs that were started in Temporal, but claimed by no run. */
    unclaimed: (olderThanMs: number, limit: number): Promise<StartableJob[]> =>
      rowsOf(
        handle,
        STARTABLE,
        `select ${selectList(STARTABLE)} from video_jobs
         where status = 'pending' and claimed_at is null
           and dispatched_at < now() - :olderThanMs * interval '1 millisecond'
         order by dispatched_at limit :limit`,
        { olderThanMs, limit },
      ),

    /** Returns claimed jobs without a write for `olderThanMs`. A healthy run writes at every check. */
    silentFor: (olderThanMs: number, limit: number): Promise<StartableJob[]> =>
      rowsOf(
        handle,
        STARTABLE,
        `select ${selectList(STARTABLE)} from video_jobs
         where status in ('pending', 'in_progress') and claimed_at is not null
           and updated_at < now() - :olderThanMs * interval '1 millisecond'
         order by updated_at limit :limit`,
        { olderThanMs, limit },
      ),
  };
}

/** Builds the methods that record whether a job has a run. */
function runRecords(handle: Handle) {
  return {
    /** Records that the job's run was seen alive. */
    async noteRun(jobId: string): Promise<void> {
      await run(
        handle,
        `update video_jobs set updated_at = now() where id = :jobId and status in ('pending', 'in_progress')`,
        { jobId },
      );
    },

    /** Releases the job of a run that is gone. A new run may claim and continue it. */
    async releaseLost(jobId: string): Promise<void> {
      await run(
        handle,
        `update video_jobs set run_id = null, updated_at = now()
         where id = :jobId and status in ('pending', 'in_progress')`,
        { jobId },
      );
    },

    async markDispatched(jobIds: string[]): Promise<void> {
      await run(
        handle,
        `update video_jobs set dispatched_at = now()
         where id in (select id from video_jobs
                      where id = any(:jobIds) and status = 'pending' and dispatched_at is null
                      order by id for no key update)`,
        { jobIds },
      );
    },

    /** Resets the start of a job that no run has claimed, so that `undispatched` finds it again. */
    async release(jobId: string): Promise<void> {
      await run(
        handle,
        `update video_jobs set dispatched_at = null, updated_at = now()
         where id = :jobId and status = 'pending' and claimed_at is null`,
        { jobId },
      );
    },
  };
}
