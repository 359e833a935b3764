import type { GroupMapping } from '../../domain/directory/group.ts';
import { newUuid } from '../../domain/ids.ts';
import type { WorkspaceRole } from '../../domain/accounts/workspace-member.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

interface MappingRow {
  id: string;
  organization_id: string;
  group_id: string;
  workspace_id: string;
  role: WorkspaceRole;
  created_at: Date;
  updated_at: Date;
}

export type NewMapping = Pick<GroupMapping, 'organizationId' | 'groupId' | 'workspaceId' | 'role'>;

/** Stores the mappings of groups to workspaces. Callers that change them hold the lock of the directory. */
export function createMappingStore(handle: Handle) {
  return {
    ...mappingReads(handle),

    async insert({ organizationId, groupId, workspaceId, role }: NewMapping): Promise<GroupMapping> {
      const now = handle.raw('clock_timestamp()');
      const [row] = await handle('directory_mappings')
        .insert({
          id: newUuid(),
          organization_id: organizationId,
          group_id: groupId,
          workspace_id: workspaceId,
          role,
          created_at: now,
          updated_at: now,
        })
        .returning<MappingRow[]>('*');
      if (row === undefined) throw new Error('insert returned no row');
      return toMapping(row);
    },

    async setRole(id: string, role: WorkspaceRole): Promise<GroupMapping> {
      const [row] = await handle('directory_mappings')
        .where({ id })
        .update({ role, updated_at: handle.raw('clock_timestamp()') })
        .returning<MappingRow[]>('*');
      if (row === undefined) throw new Error('update found no row');
      return toMapping(row);
    },

    async delete(id: string): Promise<void> {
      await mappings(handle).where({ id }).delete();
    },

    /** Returns the active people of a group. Its mappings apply to them. */
    async activePeople(groupId: string): Promise<string[]> {
      const rows = await uncheckedRowsOf<{ id: string }>(
        handle,
        `select p.id from directory_people p
         where p.deleted_at is null and p.active
           and p.id in (select m.person_id from directory_group_members m where m.group_id = ?)`,
        [groupId],
      );
      return rows.map(({ id }) => id);
    },

    /**
     * Gives a manual membership to people who would lose the workspace or their role in it with the mapping. The
     * membership keeps its id. The default workspace has no manual memberships.
     */
    async keepMembers({ id, groupId, workspaceId, role }: GroupMapping): Promise<void> {
      await handle.raw(KEEP_MEMBERS, { id, groupId, workspaceId, role });
    },
  };
}

/** Builds the methods that read mappings. */
function mappingReads(handle: Handle) {
  return {
    async find(organizationId: string, id: string): Promise<GroupMapping | null> {
      const row = await mappings(handle).where({ organization_id: organizationId, id }).first();
      return row === undefined ? null : toMapping(row);
    },

    async findByPair(groupId: string, workspaceId: string): Promise<GroupMapping | null> {
      const row = await mappings(handle).where({ group_id: groupId, workspace_id: workspaceId }).first();
      return row === undefined ? null : toMapping(row);
    },

    /** Lists mappings, the oldest first. */
    async list(
      organizationId: string,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<{ mappings: GroupMapping[]; totalCount: number }> {
      const all = () => mappings(handle).where({ organization_id: organizationId });
      const rows = await all().orderBy('created_at').orderBy('id').limit(limit).offset(offset);
      const count = await all().count<{ n: string }>({ n: '*' }).first();
      return { mappings: rows.map(toMapping), totalCount: Number(count?.n ?? 0) };
    },
  };
}

function mappings(handle: Handle) {
  return handle<MappingRow>('directory_mappings');
}

/**
 * SQL: the role that a person keeps. It is never higher than the role of the directory part, because a run may still
 * have to apply the mapping's higher role.
 */
const KEPT_ROLE = `case when d.role = 'admin' and cast(:role as text) = 'admin' then 'admin' else 'member' end`;

/** Inserts manual memberships, or raises their role. As text, the higher role sorts first, so `least` returns it. */
const KEEP_MEMBERS = `
  insert into workspace_members (id, workspace_id, user_id, role, created_at)
  select d.id, d.workspace_id, d.user_id, ${KEPT_ROLE}, d.created_at
  from directory_memberships d
    join workspaces w on w.id = d.workspace_id and not w.is_default
    join directory_people p on p.user_id = d.user_id and p.deleted_at is null and p.active
  where d.workspace_id = :workspaceId
    and p.id in (select m.person_id from directory_group_members m where m.group_id = :groupId)
    and not exists (
      select from directory_mappings other
        join directory_groups g on g.id = other.group_id and g.deleted_at is null
        join directory_group_members m on m.group_id = g.id and m.person_id = p.id
      where other.workspace_id = d.workspace_id and other.id <> :id
        and other.role in ('admin', ${KEPT_ROLE}))
  order by d.user_id
  on conflict (workspace_id, user_id) do update set
    role = least(workspace_members.role, excluded.role),
    created_at = least(workspace_members.created_at, excluded.created_at)`;

function toMapping(row: MappingRow): GroupMapping {
  return {
    id: row.id,
    organizationId: row.organization_id,
    groupId: row.group_id,
    workspaceId: row.workspace_id,
    role: row.role,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
