import type {
  SyncCounts,
  SyncFailure,
  SyncJob,
  SyncJobState,
  SyncProgress,
  SyncTrigger,
  SyncWarning,
} from '../../domain/directory/job.ts';
import type { SourceType } from '../../domain/directory/source.ts';
import { newUuid } from '../../domain/ids.ts';
import { type Handle, rowsOf } from '../connection.ts';

interface JobRow {
  id: string;
  organization_id: string;
  source: SourceType;
  trigger: SyncTrigger;
  dry_run: boolean;
  allow_deletions: boolean;
  is_full: boolean;
  state: SyncJobState;
  progress: SyncProgress;
  counts: Partial<SyncCounts>;
  warnings: SyncWarning[];
  error_reason: SyncFailure | null;
  synced_groups: number | null;
  deleted_groups: number | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

export type NewSyncJob = Pick<
  SyncJob,
  'organizationId' | 'source' | 'trigger' | 'dryRun' | 'allowDeletions' | 'isFull'
>;

/** Runs of directory syncs. An organization has at most one that is queued or running. */
export function createJobStore(handle: Handle) {
  return {
    /** Begins a job, or returns the one that the organization has open. */
    async begin(job: NewSyncJob): Promise<{ job: SyncJob; isNew: boolean }> {
      const inserted = await rowsOf<JobRow>(
        handle,
        `insert into directory_jobs (id, organization_id, source, trigger, dry_run, allow_deletions, is_full)
         values (?, ?, ?, ?, ?, ?, ?)
         on conflict (organization_id) where state in ('queued', 'running') do nothing
         returning *`,
        [newUuid(), job.organizationId, job.source, job.trigger, job.dryRun, job.allowDeletions, job.isFull],
      );
      if (inserted[0] !== undefined) return { job: toJob(inserted[0]), isNew: true };
      const open = await rowsOf<JobRow>(
        handle,
        `select * from directory_jobs where organization_id = ? and state in ('queued', 'running')`,
        [job.organizationId],
      );
      // It ended between the two statements.
      return open[0] === undefined ? this.begin(job) : { job: toJob(open[0]), isNew: false };
    },
  };
}

function toJob(row: JobRow): SyncJob {
  return {
    id: row.id,
    organizationId: row.organization_id,
    source: row.source,
    trigger: row.trigger,
    dryRun: row.dry_run,
    allowDeletions: row.allow_deletions,
    isFull: row.is_full,
    state: row.state,
    progress: row.progress,
    counts: row.counts,
    warnings: row.warnings,
    errorReason: row.error_reason,
    syncedGroups: row.synced_groups,
    deletedGroups: row.deleted_groups,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}
