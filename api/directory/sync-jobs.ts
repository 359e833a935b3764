/** Starts directory syncs, and shows their states and changes. */
import type { ScimChangeRecord, ScimSyncJobRecord } from '../../contract/directory/sync-job.ts';
import type { syncJobOperations } from '../../contract/directory/sync-jobs.ts';
import { type DirectoryChange, FAILURE_MESSAGES, type SyncJob } from '../../domain/directory/job.ts';
import { actorOf } from '../../domain/principal.ts';
import type { SyncJobService } from '../../services/directory/sync-job-service.ts';
import type { RoutesOf } from '../http/route.ts';

export const syncJobRoutes: RoutesOf<typeof syncJobOperations, { syncJobs: SyncJobService }> = {
  /** Handles `POST /scim/sync-jobs`: starts a directory sync and returns its job. */
  createScimSyncJob: async (call, { services }) => {
    const { dry_run: dryRun = false, allow_deletions: allowDeletions = false } = call.query;
    const job = await services.syncJobs.request(actorOf(call), { dryRun, allowDeletions });
    return { status: 202, body: { data: presentSyncJob(job) } };
  },

  /** Handles `GET /scim/sync-jobs`: lists the directory syncs of the organization. */
  listScimSyncJobs: async ({ principal, query }, { services }) => {
    const { jobs, totalCount } = await services.syncJobs.list(principal.organizationId, query);
    return { status: 200, body: { data: jobs.map(presentSyncJob), total_count: totalCount } };
  },

  /** Handles `GET /scim/sync-jobs/{id}`: returns the state of one directory sync. */
  getScimSyncJob: async ({ principal, params }, { services }) => {
    const job = await services.syncJobs.get(principal.organizationId, params.id);
    return { status: 200, body: { data: presentSyncJob(job) } };
  },

  /** Handles `GET /scim/sync-jobs/{id}/changes`: lists the changes that a directory sync made, or would have made. */
  listScimSyncChanges: async ({ principal, params, query }, { services }) => {
    const { organizationId } = principal;
    const { changes, totalCount } = await services.syncJobs.changes(organizationId, params.id, query);
    return { status: 200, body: { data: changes.map(presentChange), total_count: totalCount } };
  },
};

function presentSyncJob(job: SyncJob): ScimSyncJobRecord {
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

function presentChange(change: DirectoryChange): ScimChangeRecord {
  return {
    kind: change.kind,
    name: change.name,
    user_id: change.userId,
    workspace_id: change.workspaceId,
    group_id: change.groupId,
    key_hash: change.keyHash,
    from: change.fromValue,
    to: change.toValue,
    created_at: change.createdAt.toISOString(),
  };
}
