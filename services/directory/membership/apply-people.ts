/** Updates the memberships of up to 1,000 people to what their directory groups say. */
import { type AuditEntry, createAuditStore } from '../../../db/accounts/audit-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { createMembershipKeyStore, type LeaverKey } from '../../../db/directory/membership-key-store.ts';
import { createMembershipLinkStore } from '../../../db/directory/membership-link-store.ts';
import { createMembershipStore, type KeyOwner, type Move } from '../../../db/directory/membership-store.ts';
import type { SyncCounts, SyncWarning } from '../../../domain/directory/job.ts';
import type { DisableKeys } from '../../../domain/directory/source.ts';
import { newUserId } from '../../../domain/ids.ts';
import type { Actor } from '../../../domain/principal.ts';

export interface ApplyRequest {
  organizationId: string;
  /** The people to apply, at most 1,000. */
  personIds: readonly string[];
  jobId: string | null;
  disableKeys: DisableKeys;
  actor: Actor;
  /** False for changes by an administrator, whose removals do not count for the guard of pushed changes. */
  countsRemovals?: boolean;
}

export interface Applied {
  counts: SyncCounts;
  warnings: SyncWarning[];
}

export const NO_CHANGES: SyncCounts = {
  peopleRead: 0,
  groupsRead: 0,
  membersAdded: 0,
  membersRemoved: 0,
  workspaceMembersAdded: 0,
  workspaceMembersChanged: 0,
  workspaceMembersRemoved: 0,
  keysDisabled: 0,
  keysLeft: 0,
};

/**
 * Makes memberships and keys follow the stored people. A repetition changes nothing. The caller holds the directory's
 * lock (db/accounts/lock-directory.ts).
 *
 * A caller that applies several chunks first hides people who left the directory, and then passes active people before
 * others. A member whose address belongs to two people is then the active one, and keeps memberships and keys. Locks
 * are taken in one order: workspaces by id, memberships by user, keys by id. Memberships are deleted before keys are
 * read, so that this waits for a request which creates a key and locks its creator's membership.
 */
export async function applyPeople(transaction: Handle, request: ApplyRequest): Promise<Applied> {
  const { organizationId } = request;
  const personIds = [...new Set(request.personIds)];
  if (personIds.length === 0) return { counts: NO_CHANGES, warnings: [] };
  await linkPeople(transaction, organizationId, personIds);
  const store = createMembershipStore(transaction, organizationId);
  const planned = await store.plan(personIds);
  const warnings = planned.filter(({ isLastAdmin }) => isLastAdmin).map(lastAdminStays);
  const moves = planned.filter(({ isChanged }) => isChanged);
  if (moves.length === 0) return { counts: NO_CHANGES, warnings };

  await store.lockWorkspaces(moves.flatMap(({ workspaceIds }) => workspaceIds));
  const leavers = moves.filter(({ oldRole, newRole }) => oldRole !== null && newRole === null);
  // Every member has a user.
  if (leavers.length > 0) await store.removeMembers(leavers.map(({ userId }) => userId!));
  await store.settlePeople(moves);
  const { jobId, countsRemovals = true } = request;
  const { counts, owners } = await store.moveParts(moves, { jobId, countsRemovals });
  const keys = await disableKeysOf(transaction, request, owners);
  await createAuditStore(transaction).insert(request.actor, ...auditEntries(owners, keys));
  const keysDisabled = keys.filter(({ isDisabled }) => isDisabled).length;
  return {
    counts: { ...NO_CHANGES, ...counts, keysDisabled, keysLeft: keys.length - keysDisabled },
    warnings,
  };
}

async function linkPeople(
  transaction: Handle,
  organizationId: string,
  personIds: readonly string[],
): Promise<void> {
  const store = createMembershipLinkStore(transaction, organizationId);
  const unlinked = await store.unlinked(personIds);
  if (unlinked.length === 0) return;
  await store.link(
    unlinked.map(({ personId, userId }) => ({
      personId,
      userId: userId ?? newUserId(),
      isNew: userId === null,
    })),
  );
}

async function disableKeysOf(
  transaction: Handle,
  { organizationId, disableKeys, jobId }: ApplyRequest,
  owners: readonly KeyOwner[],
): Promise<LeaverKey[]> {
  if (owners.length === 0) return [];
  const store = createMembershipKeyStore(transaction, organizationId);
  const keys = await store.lock(owners, disableKeys);
  if (keys.length > 0) await store.settle(keys, jobId);
  return keys;
}

function auditEntries(owners: readonly KeyOwner[], keys: readonly LeaverKey[]): AuditEntry[] {
  const left = new Set(owners.flatMap(({ workspaceId }) => (workspaceId === null ? [] : [workspaceId])));
  return [
    ...owners
      .filter(({ workspaceId }) => workspaceId === null)
      .map(({ userId }) => ({
        action: 'removeOrganizationMember',
        target: `organization/members/${userId}`,
      })),
    ...[...left].map((id) => ({ action: 'removeWorkspaceMembers', target: `workspaces/${id}` })),
    ...keys
      .filter(({ isDisabled }) => isDisabled)
      .map(({ hash }) => ({ action: 'updateKey', target: `keys/${hash}` })),
  ];
}

function lastAdminStays({ userId, userName }: Move): SyncWarning {
  return {
    reason: 'last_admin_stays',
    message: `${userName} has left the directory and stays: the organization has no other administrator.`,
    userId: userId!,
  };
}
