/** Stores directory sync jobs, of which an organization has at most one queued or running. */
import type { SyncJob } from '../../domain/directory/job.ts';
import { newUuid } from '../../domain/ids.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import { type JobRow, toJob } from './job-rows.ts';

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
    async begin(job: NewSyncJob): Promise<{ job: SyncJob; isNew: boolean }> {
      const inserted = await uncheckedRowsOf<JobRow>(
        handle,
        `insert into directory_jobs (id, organization_id, source, trigger, dry_run, allow_deletions, is_full)
         values (?, ?, ?, ?, ?, ?, ?)
         on conflict (organization_id) where ${OPEN} do nothing
         returning *`,
        [newUuid(), job.organizationId, job.source, job.trigger, job.dryRun, job.allowDeletions, job.isFull],
      );
      if (inserted[0] !== undefined) return { job: toJob(inserted[0]), isNew: true };
      const open = await uncheckedRowsOf<JobRow>(
        handle,
        `select * from directory_jobs where organization_id = ? and ${OPEN}`,
        [job.organizationId],
      );
      // The job ended between the two statements.
      return open[0] === undefined ? this.begin(job) : { job: toJob(open[0]), isNew: false };
    },

    /** Returns the newest job; null if there is none. */
    async findNewest(organizationId: string): Promise<SyncJob | null> {
      const { jobs } = await this.list(organizationId, { limit: 1, offset: 0 });
      return jobs[0] ?? null;
    },

    /** Records that a run was started for the job, or that the job's run was seen alive. */
    async noteRun(id: string): Promise<void> {
      await handle.raw(
        `update directory_jobs set dispatched_at = clock_timestamp() where id = ? and ${OPEN}`,
        [id],
      );
    },
  };
}

/** Builds the methods that read jobs. */
function jobReads(handle: Handle) {
  return {
    async find(organizationId: string, id: string): Promise<SyncJob | null> {
      const row = await handle<JobRow>('directory_jobs')
        .where({ id, organization_id: organizationId })
        .first();
      return row === undefined ? null : toJob(row);
    },

    /** Lists jobs, newest first. */
    async list(
      organizationId: string,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<{ jobs: SyncJob[]; totalCount: number }> {
      const rows = await handle<JobRow>('directory_jobs')
        .where({ organization_id: organizationId })
        .orderBy([
          { column: 'created_at', order: 'desc' },
          { column: 'id', order: 'desc' },
        ])
        .limit(limit)
        .offset(offset);
      const count = await handle('directory_jobs')
        .where({ organization_id: organizationId })
        .count<{ n: string }>({ n: '*' })
        .first();
      return { jobs: rows.map(toJob), totalCount: Number(count?.n ?? 0) };
    },
  };
}
