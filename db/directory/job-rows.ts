/** Describes the stored row of a directory sync job and turns it into the job. */
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
import type { SyncCursor } from '../../domain/directory/sync-cursor.ts';

export interface JobRow {
  id: string;
  organization_id: string;
  source: SourceType;
  trigger: SyncTrigger;
  dry_run: boolean;
  allow_deletions: boolean;
  is_full: boolean;
  state: SyncJobState;
  cursor: Partial<SyncCursor>;
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

export function toJob(row: JobRow): SyncJob {
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
