import type { GroupMapping } from '../../domain/directory/group.ts';
import { newUuid } from '../../domain/ids.ts';
import { WORKSPACE_ROLES, type WorkspaceRole } from '../../domain/accounts/workspace-member.ts';
import type { Handle } from '../postgres/connection.ts';
import { countRows, idsOf, oneRow } from '../postgres/results.ts';
import { oneOf, selectList, timestamptz, uuid } from '../postgres/shape.ts';
import { type NamedValues, rowsOf, run } from '../postgres/statement.ts';
import { OF_ORGANIZATION } from './directory-page.ts';

const MAPPING = {
  id: uuid,
  organizationId: uuid,
  groupId: uuid,
  workspaceId: uuid,
  role: oneOf(WORKSPACE_ROLES),
  createdAt: timestamptz,
  updatedAt: timestamptz,
};
const COLUMNS = selectList(MAPPING);

export type NewMapping = Pick<GroupMapping, 'organizationId' | 'groupId' | 'workspaceId' | 'role'>;

/** Stores the mappings of groups to workspaces. Callers that change them hold the lock of the directory. */
export function createMappingStore(handle: Handle) {
  return {
    ...mappingReads(handle),

    insert: (values: NewMapping): Promise<GroupMapping> =>
      oneRow(
        handle,
        MAPPING,
        `insert into directory_mappings (id, organization_id, group_id, workspace_id, role)
         values (:id, :organizationId, :groupId, :workspaceId, :role) returning ${COLUMNS}`,
        { ...values, id: newUuid() },
      ),

    setRole: (id: string, role: WorkspaceRole): Promise<GroupMapping> =>
      oneRow(
        handle,
        MAPPING,
        `update directory_mappings set role = :role, updated_at = clock_timestamp() where id = :id
         returning ${COLUMNS}`,
        { id, role },
      ),

    async delete(id: string): Promise<void> {
      await run(handle, 'delete from directory_mappings where id = :id', { id });
    },

    /** Returns the active people of a group. Its mappings apply to them. */
    activePeople: (groupId: string): Promise<string[]> =>
      idsOf(
        handle,
        `select p.id from directory_people p
         where p.deleted_at is null and p.active
           and p.id in (select m.person_id from directory_group_members m where m.group_id = :groupId)`,
        { groupId },
      ),

    /**
     * Gives a manual membership to people who would lose the workspace or their role in it with the mapping. The
     * membership keeps its id. The default workspace has no manual memberships.
     */
    async keepMembers({ id, groupId, workspaceId, role }: GroupMapping): Promise<void> {
      await run(handle, KEEP_MEMBERS, { id, groupId, workspaceId, role });
    },
  };
}

/** Builds the methods that read mappings. */
function mappingReads(handle: Handle) {
  return {
    async find(organizationId: string, id: string): Promise<GroupMapping | null> {
      const [mapping] = await select(handle, `${OF_ORGANIZATION} and id = :id`, { organizationId, id });
      return mapping ?? null;
    },

    async findByPair(groupId: string, workspaceId: string): Promise<GroupMapping | null> {
      const [mapping] = await select(handle, 'where group_id = :groupId and workspace_id = :workspaceId', {
        groupId,
        workspaceId,
      });
      return mapping ?? null;
    },

    /** Lists mappings, the oldest first. */
    async list(
      organizationId: string,
      page: { limit: number; offset: number },
    ): Promise<{ mappings: GroupMapping[]; totalCount: number }> {
      const mappings = await select(
        handle,
        `${OF_ORGANIZATION}
         order by created_at, id limit :limit offset :offset`,
        { organizationId, ...page },
      );
      const totalCount = await countRows(handle, `from directory_mappings ${OF_ORGANIZATION}`, {
        organizationId,
      });
      return { mappings, totalCount };
    },
  };
}

/** Returns mappings. `rest` is SQL from `where` on. */
function select(handle: Handle, rest: string, values: NamedValues): Promise<GroupMapping[]> {
  return rowsOf(handle, MAPPING, `select ${COLUMNS} from directory_mappings ${rest}`, values);
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
