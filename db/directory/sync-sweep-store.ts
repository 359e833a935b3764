/** Finds directory syncs that are due, lost or overdue, for the worker's sweep. */
import { MAX_SYNC_MS, SYNC_TRIGGERS } from '../../domain/directory/job.ts';
import type { Handle } from '../postgres/connection.ts';
import { anyRows } from '../postgres/results.ts';
import { bool, int4, oneOf, type RowOf, selectList, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

const OPEN_JOB = {
  id: uuid,
  organizationId: uuid,
  /** The number of lost runs that the sweep has replaced. */
  restarts: int4,
  hasRunOut: bool,
};
/** An open job that the sweep found. */
export type OpenJob = RowOf<typeof OPEN_JOB>;

const COLUMNS = selectList(OPEN_JOB, undefined, {
  restarts: `coalesce((cursor ->> 'restarts')::integer, 0)`,
  hasRunOut: `coalesce(started_at, created_at) < clock_timestamp() - interval '${MAX_SYNC_MS} milliseconds'`,
});

/** The pause after a failed job before the sweep begins another one for pending people. */
const PAUSE_AFTER_FAILURE = `interval '10 minutes'`;

/** Builds the sweep's queries about syncs, each with a limited page. */
export function createSyncSweepStore(handle: Handle) {
  return {
    ...lostJobs(handle),

    /** Returns organizations whose source is due. */
    due: (limit: number) =>
      rowsOf(
        handle,
        { id: uuid },
        `select organization_id id from scim_sources where type = 'scim' and next_sync_at <= clock_timestamp()
         order by next_sync_at limit :limit`,
        { limit },
      ),

    /** Sets the next due time of a due source. Returns false if it is not due, because another process has set it. */
    moveDue: (organizationId: string): Promise<boolean> =>
      anyRows(
        handle,
        `update scim_sources set next_sync_at = clock_timestamp() + interval_minutes * interval '1 minute'
         where organization_id = :organizationId and type = 'scim' and next_sync_at <= clock_timestamp()`,
        { organizationId },
      ),

    /** Makes a source due in one minute, because another job is running. */
    async makeDueSoon(organizationId: string): Promise<void> {
      await run(
        handle,
        `update scim_sources set next_sync_at = clock_timestamp() + interval '1 minute'
         where organization_id = :organizationId`,
        { organizationId },
      );
    },

    /** Returns organizations with pending people and without a job. */
    pending: (limit: number) =>
      rowsOf(
        handle,
        { id: uuid, trigger: oneOf(SYNC_TRIGGERS) },
        `select organization_id id, case when bool_or(pending = 'guarded') then 'push' else 'mapping' end "trigger"
         from directory_people p
         where pending is not null and not exists (
           select from directory_jobs j where j.organization_id = p.organization_id
             and (j.state in ('queued', 'running')
               or (j.state = 'failed' and j.trigger in ('push', 'mapping') and j.finished_at > now() - ${PAUSE_AFTER_FAILURE})))
         group by organization_id limit :limit`,
        { limit },
      ),
  };
}

/** Builds the methods that find jobs without a run. */
function lostJobs(handle: Handle) {
  return {
    /** Returns queued jobs without a recorded start in Temporal. */
    undispatched: (olderThanMs: number, limit: number) =>
      rowsOf(
        handle,
        OPEN_JOB,
        `select ${COLUMNS} from directory_jobs
         where state = 'queued' and dispatched_at is null and created_at < now() - :olderThanMs * interval '1 millisecond'
         order by created_at limit :limit`,
        { olderThanMs, limit },
      ),

    /** Returns open jobs whose run has not been seen alive for `olderThanMs`. */
    silentFor: (olderThanMs: number, limit: number) =>
      rowsOf(
        handle,
        OPEN_JOB,
        `select ${COLUMNS} from directory_jobs
         where state in ('queued', 'running') and dispatched_at < now() - :olderThanMs * interval '1 millisecond'
         order by dispatched_at limit :limit`,
        { olderThanMs, limit },
      ),

    /** Queues a job whose run is lost, so that a new run can claim it. */
    async release(id: string): Promise<void> {
      await run(
        handle,
        `update directory_jobs set state = 'queued', run_id = null, dispatched_at = null,
           cursor = cursor || jsonb_build_object('restarts', coalesce((cursor ->> 'restarts')::integer, 0) + 1)
         where id = :id and state in ('queued', 'running')`,
        { id },
      );
    },
  };
}
