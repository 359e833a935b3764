/** Defines directory syncs: their states, steps, counts, warnings and changes. */
import type { SourceType } from './source.ts';

export const JOB_STATES = ['queued', 'running', 'succeeded', 'failed'] as const;
export type SyncJobState = (typeof JOB_STATES)[number];

/**
 * The reason why a job began: a request, the interval of the source, a push of many people, or a mapping of a large
 * group.
 */
export const SYNC_TRIGGERS = ['request', 'schedule', 'push', 'mapping'] as const;
export type SyncTrigger = (typeof SYNC_TRIGGERS)[number];

/** The fixed sentence that explains each failure of a job. Programs read the reason instead. */
export const FAILURE_MESSAGES = {
  source_unauthorized: 'The source refused the token.',
  source_unavailable: 'The source could not be reached, or did not answer.',
  source_incomplete: 'The source did not give a complete list of its people and groups.',
  source_invalid: 'The source gave an answer that is not understood.',
  source_too_large: 'The source has more people or groups, or a larger page, than a sync reads.',
  guard_empty: 'The source is empty, and people would lose access.',
  guard_deletions: 'Too many people or groups would be removed.',
  timed_out: 'The sync took too long.',
  internal: 'The sync failed because of an error in the gateway.',
};
export type SyncFailure = keyof typeof FAILURE_MESSAGES;
export const SYNC_FAILURES = Object.keys(FAILURE_MESSAGES) as SyncFailure[];

/** One run of a directory sync. */
export interface SyncJob {
  id: string;
  organizationId: string;
  source: SourceType;
  trigger: SyncTrigger;
  dryRun: boolean;
  allowDeletions: boolean;
  /** True: everything is read. False: only changes are read, and no one is removed. */
  isFull: boolean;
  state: SyncJobState;
  progress: SyncProgress;
  counts: Partial<SyncCounts>;
  warnings: SyncWarning[];
  errorReason: SyncFailure | null;
  syncedGroups: number | null;
  deletedGroups: number | null;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

export const SYNC_STEPS = [
  'reading people',
  'reading groups',
  'matching',
  'asking for missing people',
  'asking for missing groups',
  'comparing',
  'applying',
] as const;
export type SyncStep = (typeof SYNC_STEPS)[number];

/** The progress of a run. */
export interface SyncProgress {
  step?: SyncStep;
  /** The pages read of the current list. */
  page?: number;
  people?: number;
  groups?: number;
  applied?: number;
  toApply?: number;
}

/** Counts of the changes that a run made, or would make in a dry run. */
export interface SyncCounts {
  peopleRead: number;
  groupsRead: number;
  membersAdded: number;
  membersRemoved: number;
  workspaceMembersAdded: number;
  workspaceMembersChanged: number;
  workspaceMembersRemoved: number;
  keysDisabled: number;
  /** Active keys of leavers that were not disabled. */
  keysLeft: number;
}

/** A problem that did not stop the run, for the administrator. */
export interface SyncWarning {
  /** A stable identifier for programs, such as `last_admin_stays`. */
  reason: string;
  message: string;
  userId?: string;
}

/** One change that a run made. */
export interface DirectoryChange {
  n: number;
  kind: ChangeKind;
  /** Null before the person has a user, and for changes of groups. */
  userId: string | null;
  personId: string | null;
  workspaceId: string | null;
  groupId: string | null;
  keyHash: string | null;
  /** The user name of the person, or the name of the group or key. */
  name: string;
  fromValue: string | null;
  toValue: string | null;
  createdAt: Date;
}

/**
 * The kinds of changes.
 * - `organization_member`, `workspace_member`: from one role to another, null for none.
 * - `key`: from `active` to `disabled`, or still `active` if it was left.
 * - `group`: from one name to another.
 */
export const CHANGE_KINDS = ['organization_member', 'workspace_member', 'key', 'group'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** The most lines that a job keeps of lost memberships, of keys, and of all other changes, each. */
export const MAX_CHANGES = 10_000;
export const CHANGE_RETENTION_MS = 30 * 86_400_000;

/** The longest duration of a run. A longer one is ended, and its job fails as `timed_out`. */
export const MAX_SYNC_MS = 6 * 3_600_000;
