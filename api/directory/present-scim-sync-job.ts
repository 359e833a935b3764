/** Turns a directory sync, or one of its changes, into the record that responses show. */
import type { ScimChangeRecord, ScimSyncJobRecord } from '../../contract/directory/sync-job.ts';
import { FAILURE_MESSAGES } from '../../domain/directory/failure.ts';
import type { DirectoryChange, SyncJob } from '../../domain/directory/job.ts';

export function presentSyncJob(job: SyncJob): ScimSyncJobRecord {
  const { progress, counts, errorReason } = job;
  return {
    id: job.id,
    status: job.state,
    created_at: job.createdAt.toISOString(),
    started_at: job.startedAt?.toISOString() ?? null,
    finished_at: job.finishedAt?.toISOString() ?? null,
    synced_groups: job.syncedGroups,
    deleted_groups: job.deletedGroups,
    error_message: errorReason && FAILURE_MESSAGES[errorReason],
    error_reason: errorReason,
    source: job.source,
    trigger: job.trigger,
    dry_run: job.dryRun,
    allow_deletions: job.allowDeletions,
    is_full: job.isFull,
    progress: {
      step: progress.step ?? null,
      page: progress.page ?? null,
      people: progress.people ?? null,
      groups: progress.groups ?? null,
      applied: progress.applied ?? null,
      to_apply: progress.toApply ?? null,
    },
    counts: {
      people_read: counts.peopleRead ?? 0,
      groups_read: counts.groupsRead ?? 0,
      members_added: counts.membersAdded ?? 0,
      members_removed: counts.membersRemoved ?? 0,
      workspace_members_added: counts.workspaceMembersAdded ?? 0,
      workspace_members_changed: counts.workspaceMembersChanged ?? 0,
      workspace_members_removed: counts.workspaceMembersRemoved ?? 0,
      keys_disabled: counts.keysDisabled ?? 0,
      keys_left: counts.keysLeft ?? 0,
    },
    warnings: job.warnings.map(({ reason, message, userId }) => ({
      reason,
      message,
      user_id: userId ?? null,
    })),
  };
}

export function presentChange(change: DirectoryChange): ScimChangeRecord {
  return {
    kind: change.kind,
    name: change.name,
    user_id: change.userId,
    workspace_id: change.workspaceId,
    group_id: change.groupId,
    key_hash: change.keyHash,
    from: change.from,
    to: change.to,
    created_at: change.createdAt.toISOString(),
  };
}
