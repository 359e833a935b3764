/** Writes new and changed groups of the SCIM server to the database. */
import { isDeepStrictEqual } from 'node:util';
import type { Handle } from '../../../db/postgres/connection.ts';
import { createGroupMemberStore, type MemberChange } from '../../../db/directory/group-member-store.ts';
import { createGroupStore, type GroupDraft } from '../../../db/directory/group-store.ts';
import { type DirectoryGroup, MAX_GROUP_MEMBERS } from '../../../domain/directory/group.ts';
import type { GroupChange } from '../scim/read-group-patch.ts';
import type { ReadGroup } from '../scim/read-group.ts';
import { refuse } from '../../../domain/directory/scim/refuse.ts';
import { type NetMembers, netMembers } from './net-members.ts';

/** Stores a new group with its members. */
export async function insertGroup(
  transaction: Handle,
  organizationId: string,
  { members = [], ...draft }: ReadGroup,
): Promise<DirectoryGroup> {
  const groups = createGroupStore(transaction);
  await requireNewName(transaction, organizationId, draft.displayName, null);
  const { id } = await groups.insert(organizationId, draft);
  const { count } = await createGroupMemberStore(transaction).add(organizationId, id, members);
  return (await groups.bumpVersion(id, count)).group;
}

/**
 * Makes the changes of one request. The group gets one new version if anything changed. Members are never read or
 * counted, so that a change costs the same in a large group as in a small one. Returns the people whose memberships
 * may change.
 */
export async function saveGroup(
  transaction: Handle,
  group: DirectoryGroup,
  changes: readonly GroupChange[],
): Promise<{ group: DirectoryGroup; personIds: readonly string[] }> {
  const groups = createGroupStore(transaction);
  const draft = draftOf(group, changes);
  const isRenamed = !isDeepStrictEqual(draft, draftOf(group, []));
  if (isRenamed) {
    await requireNewName(transaction, group.organizationId, draft.displayName, group.id);
    await groups.update(group.id, draft);
  }
  const net = netMembers(await nameMembersAlike(transaction, group.organizationId, changes));
  const { added, removed } = await changeMembers(transaction, group, net);
  if (!isRenamed && added.count + removed.count === 0) return { group, personIds: [] };
  const saved = await groups.bumpVersion(group.id, added.count - removed.count);
  if (saved.members > MAX_GROUP_MEMBERS) {
    throw refuse('tooMany', `A group must not have more than ${MAX_GROUP_MEMBERS} members.`);
  }
  const personIds = [...removed.personIds, ...added.personIds];
  const isFollowed = personIds.length > 0 && (await groups.isMapped(group.id));
  return { group: saved.group, personIds: isFollowed ? personIds : [] };
}

function draftOf(
  { displayName, externalId, resource }: DirectoryGroup,
  changes: readonly GroupChange[],
): GroupDraft {
  const draft: GroupDraft = { displayName, externalId, resource };
  for (const change of changes) {
    if (change.kind !== 'set') continue;
    const { kind: _, ...set } = change;
    Object.assign(draft, set);
  }
  return draft;
}

/**
 * Replaces different ids of one person by one id, because the last change about a person must count. A single change
 * is left unchanged.
 */
async function nameMembersAlike(
  transaction: Handle,
  organizationId: string,
  changes: readonly GroupChange[],
): Promise<readonly GroupChange[]> {
  const named = changes.filter((change) => 'values' in change);
  if (named.length < 2) return changes;
  const values = [...new Set(named.flatMap((change) => change.values))];
  const ids = await createGroupMemberStore(transaction).idsOf(organizationId, values);
  return changes.map((change) =>
    'values' in change
      ? { ...change, values: change.values.map((value) => ids.get(value) ?? value) }
      : change,
  );
}

const UNCHANGED: MemberChange = { count: 0, personIds: [] };

async function changeMembers(
  transaction: Handle,
  { id, organizationId }: DirectoryGroup,
  net: NetMembers,
): Promise<Record<'added' | 'removed', MemberChange>> {
  const store = createGroupMemberStore(transaction);
  if (net.kind === 'replacement') {
    const members = [...net.members];
    if (members.length === 0) return { removed: await store.removeAll(id), added: UNCHANGED };
    const removed = await store.removeOthers(organizationId, id, members);
    return { removed, added: await store.add(organizationId, id, members) };
  }
  const [removedIds, addedIds] = [[...net.removed], [...net.added]];
  return {
    removed: removedIds.length === 0 ? UNCHANGED : await store.remove(id, removedIds),
    added: addedIds.length === 0 ? UNCHANGED : await store.add(organizationId, id, addedIds),
  };
}

async function requireNewName(
  transaction: Handle,
  organizationId: string,
  displayName: string,
  ownId: string | null,
): Promise<void> {
  const isTaken = await createGroupStore(transaction).isNameTaken(organizationId, displayName, ownId);
  if (isTaken) throw refuse('uniqueness', 'Another group has this displayName.');
}
