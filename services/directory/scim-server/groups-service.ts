/**
 * Implements the operations of the SCIM server on groups. They resemble those on people, but have code of their own: a
 * group may have 100,000 members, which are changed and counted without being read.
 */
import type { Handle } from '../../../db/postgres/connection.ts';
import { NO_CONDITION } from '../../../db/directory/directory-page.ts';
import { filterSql } from '../../../db/directory/filter-sql.ts';
import { createGroupMemberStore, type GroupMember } from '../../../db/directory/group-member-store.ts';
import { createGroupStore } from '../../../db/directory/group-store.ts';
import { type DirectoryGroup, MAX_GROUP_MEMBERS } from '../../../domain/directory/group.ts';
import { requireFound, requireId } from '../../require-found.ts';
import type { Push } from '../push/push.ts';
import { parseFilter } from '../scim/parse-filter.ts';
import { type GroupChange, readGroupPatch } from '../scim/read-group-patch.ts';
import { readGroup, type ReadGroup } from '../scim/read-group.ts';
import { readPatch } from '../scim/read-patch.ts';
import { insertGroup, saveGroup } from './save-group.ts';
import type { ScimListQuery } from './people-service.ts';
import { requireVersion, type ScimWrite, toPushCall } from './scim-write.ts';

/** A group with the members that were requested. */
export interface ShownGroup {
  group: DirectoryGroup;
  members: GroupMember[];
}

/** States whether the answer contains members; a group may have 100,000. */
interface WantedMembers {
  members: boolean;
}

/** A group after a change. Its members are null when they are many and were not requested. */
export interface PatchedGroup {
  group: DirectoryGroup;
  members: GroupMember[] | null;
}

/**
 * The most members that an answer contains without a request. With more, a change of one member would cost more in a
 * large group than in a small one.
 */
const FEW_MEMBERS = 100;

export interface GroupsServiceDeps {
  knex: Handle;
  push: Push;
}

/** Shows and changes the groups of directories for the SCIM server. Unknown and foreign ids get the same 404. */
export function createGroupsService({ knex, push }: GroupsServiceDeps) {
  const change: ChangeGroup = (write, id, action, changes, answerOf) =>
    push(toPushCall(write), async (transaction) => {
      const before = await findGroup(transaction, write.client.organizationId, id);
      requireVersion(write, before.version);
      const { group, personIds } = await saveGroup(transaction, before, changes);
      const answer = await answerOf(transaction, group);
      return { answer, personIds, entries: [{ action, target: targetOf(group.id) }] };
    });
  return {
    async list(
      organizationId: string,
      { filter, startIndex, count }: ScimListQuery,
      wants: WantedMembers,
    ): Promise<{ groups: ShownGroup[]; totalCount: number }> {
      const condition =
        filter === undefined ? NO_CONDITION : filterSql(parseFilter(filter), 'Group', 'resource');
      const page = { offset: startIndex - 1, limit: count };
      const { groups, totalCount } = await createGroupStore(knex).list(organizationId, condition, page);
      return { groups: wants.members ? await withAllMembers(knex, groups) : groups.map(alone), totalCount };
    },
    find: (organizationId: string, id: string): Promise<DirectoryGroup> =>
      findGroup(knex, organizationId, id),
    membersOf: (group: DirectoryGroup): Promise<GroupMember[]> =>
      createGroupMemberStore(knex).list([group.id]),
    create(write: ScimWrite, raw: unknown, wants: WantedMembers): Promise<ShownGroup> {
      const draft = readGroup(raw);
      return push(toPushCall(write), async (transaction) => {
        const group = await insertGroup(transaction, write.client.organizationId, draft);
        const answer = await withMembers(transaction, group, wants);
        // A new group has no mappings, so no memberships change.
        return {
          answer,
          personIds: [],
          entries: [{ action: 'createProvisionedGroup', target: targetOf(group.id) }],
        };
      });
    },
    replace: (write: ScimWrite, id: string, raw: unknown, wants: WantedMembers): Promise<ShownGroup> =>
      change(write, id, 'replaceProvisionedGroup', changesOf(readGroup(raw)), (transaction, group) =>
        withMembers(transaction, group, wants),
      ),
    /**
     * Changes a group. `unless many` means that the caller did not state which attributes the answer should contain.
     */
    patch: (
      write: ScimWrite,
      id: string,
      raw: unknown,
      wants: WantedMembers | 'unless many',
    ): Promise<PatchedGroup> =>
      change(write, id, 'patchProvisionedGroup', readGroupPatch(readPatch(raw)), (transaction, group) =>
        wants === 'unless many' ? withFewMembers(transaction, group) : withMembers(transaction, group, wants),
      ),
    remove: (write: ScimWrite, id: string): Promise<void> =>
      push(toPushCall(write), (transaction) => removeGroup(transaction, write, id)),
  };
}

/** Deletes a group. Returns the people who may lose a workspace. */
async function removeGroup(transaction: Handle, write: ScimWrite, id: string) {
  const group = await findGroup(transaction, write.client.organizationId, id);
  requireVersion(write, group.version);
  const groups = createGroupStore(transaction);
  const isMapped = await groups.isMapped(group.id);
  const { personIds } = await createGroupMemberStore(transaction).removeAll(group.id);
  await groups.delete(group.id);
  const entries = [{ action: 'deleteProvisionedGroup', target: targetOf(group.id) }];
  return { answer: undefined, personIds: isMapped ? personIds : [], entries };
}

type ChangeGroup = <Answer>(
  write: ScimWrite,
  id: string,
  action: string,
  changes: readonly GroupChange[],
  answerOf: (transaction: Handle, group: DirectoryGroup) => Promise<Answer>,
) => Promise<Answer>;

function targetOf(id: string): string {
  return `scim/v2/Groups/${id}`;
}

async function findGroup(handle: Handle, organizationId: string, id: string): Promise<DirectoryGroup> {
  return requireFound(await createGroupStore(handle).find(organizationId, requireId(id)));
}

/**
 * Returns the changes of a replacement. Members and the external id stay when the replacement does not name them. A
 * provider that renames a group must neither empty it nor remove the id by which another source finds it.
 */
function changesOf({ displayName, externalId, resource, members }: ReadGroup): GroupChange[] {
  const set: GroupChange = { kind: 'set', displayName, resource, ...(externalId !== null && { externalId }) };
  return members === undefined ? [set] : [set, { kind: 'replace_members', values: members }];
}

function alone(group: DirectoryGroup): ShownGroup {
  return { group, members: [] };
}

async function withMembers(handle: Handle, group: DirectoryGroup, wants: WantedMembers): Promise<ShownGroup> {
  return wants.members
    ? { group, members: await createGroupMemberStore(handle).list([group.id]) }
    : alone(group);
}

async function withFewMembers(handle: Handle, group: DirectoryGroup): Promise<PatchedGroup> {
  const members = await createGroupMemberStore(handle).listFirst(group.id, FEW_MEMBERS + 1);
  return { group, members: members.length > FEW_MEMBERS ? null : members };
}

/** Adds members to groups, up to a limit for one page. Groups beyond the limit come with the next page. */
async function withAllMembers(handle: Handle, groups: readonly DirectoryGroup[]): Promise<ShownGroup[]> {
  const store = createGroupMemberStore(handle);
  const counts = await store.countOf(groups.map(({ id }) => id));
  let members = 0;
  const fitting = groups.filter(({ id }, index) => {
    members += counts.get(id) ?? 0;
    return index === 0 || members <= MAX_GROUP_MEMBERS;
  });
  const byGroup = Map.groupBy(await store.list(fitting.map(({ id }) => id)), ({ groupId }) => groupId);
  return fitting.map((group) => ({ group, members: byGroup.get(group.id) ?? [] }));
}

export type GroupsService = ReturnType<typeof createGroupsService>;
