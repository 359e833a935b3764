/** Stores directory sync jobs, of which an organization has at most one queued or running. */
import type { SyncJob } from '../../domain/directory/job.ts';
import { newUuid } from '../../domain/ids.ts';
import type { Handle } from '../postgres/connection.ts';
import { countRows } from '../postgres/results.ts';
import { rowsOf, run } from '../postgres/statement.ts';
import { OF_ORGANIZATION } from './directory-page.ts';
import { JOB, JOB_COLUMNS, selectJobs } from './job-rows.ts';

export type NewSyncJob = Pick<
  SyncJob,
  'organizationId' | 'source' | 'trigger' | 'dryRun' | 'allowDeletions' | 'isFull'
>;

const OPEN = `state in ('queued', 'running')`;

/** Stores the runs of directory syncs. An organization has at most one queued or running job. */
export function createJobStore(handle: Handle) {
  return {
    ...jobReads(handle),

    /** Creates a job, or returns the open one of the organization. */
    async begin(values: NewSyncJob): Promise<{ job: SyncJob; isNew: boolean }> {
      const [inserted] = await rowsOf(
        handle,
        JOB,
        `insert into directory_jobs (id, organization_id, source, trigger, dry_run, allow_deletions, is_full)
         values (:id, :organizationId, :source, :trigger, :dryRun, :allowDeletions, :isFull)
         on conflict (organization_id) where ${OPEN} do nothing
         returning ${JOB_COLUMNS}`,
        { ...values, id: newUuid() },
      );
      if (inserted !== undefined) return { job: inserted, isNew: true };
      const [open] = await selectJobs(handle, `${OF_ORGANIZATION} and ${OPEN}`, {
        organizationId: values.organizationId,
      });
      // The job ended between the two statements.
      return open === undefined ? this.begin(values) : { job: open, isNew: false };
    },

    /** Returns the newest job; null if there is none. */
    async findNewest(organizationId: string): Promise<SyncJob | null> {
      const { jobs } = await this.list(organizationId, { limit: 1, offset: 0 });
      return jobs[0] ?? null;
    },

    /** Records that a run was started for the job, or that the job's run was seen alive. */
    async noteRun(id: string): Promise<void> {
      await run(
        handle,
        `update directory_jobs set dispatched_at = clock_timestamp() where id = :id and ${OPEN}`,
        { id },
      );
    },
  };
}

/** Builds the methods that read jobs. */
function jobReads(handle: Handle) {
  return {
    async find(organizationId: string, id: string): Promise<SyncJob | null> {
      const [job] = await selectJobs(handle, `${OF_ORGANIZATION} and id = :id`, { id, organizationId });
      return job ?? null;
    },

    /** Lists jobs, newest first. */
    async list(
      organizationId: string,
      page: { limit: number; offset: number },
    ): Promise<{ jobs: SyncJob[]; totalCount: number }> {
      const jobs = await selectJobs(
        handle,
        `${OF_ORGANIZATION}
         order by created_at desc, id desc limit :limit offset :offset`,
        { organizationId, ...page },
      );
      const totalCount = await countRows(handle, `from directory_jobs ${OF_ORGANIZATION}`, {
        organizationId,
      });
      return { jobs, totalCount };
    },
  };
}
