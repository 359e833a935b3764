/** Reads, adds and removes members of workspaces, and combines manual memberships with those from the directory. */
import { WORKSPACE_ROLES, type WorkspaceMember } from '../../domain/accounts/workspace-member.ts';
import type { Handle } from '../postgres/connection.ts';
import { countRows } from '../postgres/results.ts';
import { oneOf, selectList, text, timestamptz, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

const MEMBER = {
  id: uuid,
  workspaceId: uuid,
  userId: text,
  role: oneOf(WORKSPACE_ROLES),
  createdAt: timestamptz,
};

/** SQL: the workspace role of a member of the organization. */
const ROLE = `case o.role when 'org:admin' then 'admin' else 'member' end`;

/** SQL: an id in the form of a UUID of version 3, derived from the ids of workspace and user. */
const IMPLICIT_ID = `overlay(overlay(md5(w.id || o.user_id) placing '3' from 13) placing '8' from 17)::uuid`;

/**
 * SQL: the members of a default workspace. They are all members of the organization and have no rows in
 * `workspace_members`. The directory may raise a role there: `least` returns the higher role and ignores null.
 */
const IMPLICIT = `
  select ${IMPLICIT_ID} id, w.id workspace_id, o.user_id, least(${ROLE}, d.role) as role, o.created_at
  from workspaces w join organization_members o on o.organization_id = w.organization_id
  left join directory_memberships d on d.workspace_id = w.id and d.user_id = o.user_id
  where w.id = :workspaceId and w.is_default`;

/** SQL: the members of other workspaces. A membership has a manual part, a directory part, or both with the same id. */
const EXPLICIT = `
  select (array_agg(m.id))[1] id, m.workspace_id, m.user_id, min(m.role) as role, min(m.created_at) created_at
  from (
    select id, workspace_id, user_id, role, created_at from workspace_members
    union all
    select id, workspace_id, user_id, role, created_at from directory_memberships
  ) m join workspaces w on w.id = m.workspace_id
  where w.id = :workspaceId and not w.is_default group by m.workspace_id, m.user_id`;

const MEMBERS = `from (${IMPLICIT} union all ${EXPLICIT}) members`;

/**
 * Stores members of workspaces. Callers lock the workspace before they change its members. Reads combine both parts of
 * a membership; changes affect the manual part.
 */
export function createWorkspaceMemberStore(handle: Handle) {
  return {
    ...workspaceMemberReads(handle),

    /**
     * Adds users to a workspace other than the default one. Their roles follow from those in the organization. The
     * caller holds the users' memberships (`holdMembers`). A new manual part takes over the id of an existing directory
     * part. Returns the number of users whose manual part is new or changed.
     */
    add: (workspaceId: string, userIds: readonly string[]): Promise<number> =>
      run(
        handle,
        `insert into workspace_members (id, workspace_id, user_id, role, created_at)
         select coalesce(d.id, gen_random_uuid()), w.id, o.user_id, ${ROLE}, clock_timestamp()
         from workspaces w join organization_members o on o.organization_id = w.organization_id
         left join directory_memberships d on d.workspace_id = w.id and d.user_id = o.user_id
         where w.id = :workspaceId and o.user_id = any(:userIds) order by o.user_id
         on conflict (workspace_id, user_id) do update set role = excluded.role
           where workspace_members.role <> excluded.role`,
        { workspaceId, userIds },
      ),

    /** Returns the users who are in the workspace because of the directory. */
    async keptByDirectory(workspaceId: string, userIds: readonly string[]): Promise<Set<string>> {
      const rows = await rowsOf(
        handle,
        { user: text },
        `select user_id "user" from directory_memberships
         where workspace_id = :workspaceId and user_id = any(:userIds)`,
        { workspaceId, userIds },
      );
      return new Set(rows.map(({ user }) => user));
    },

    /** Removes manual memberships and returns their number. */
    remove: (workspaceId: string, userIds: readonly string[]): Promise<number> =>
      run(
        handle,
        'delete from workspace_members where workspace_id = :workspaceId and user_id = any(:userIds)',
        { workspaceId, userIds },
      ),
  };
}

/** Builds the methods that read members of a workspace. */
function workspaceMemberReads(handle: Handle) {
  return {
    /** Lists members, the oldest first, so that a new member does not move others to another page. */
    async list(
      workspaceId: string,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<{ members: WorkspaceMember[]; totalCount: number }> {
      const members = await rowsOf(
        handle,
        MEMBER,
        `select ${selectList(MEMBER)} ${MEMBERS} order by created_at, user_id limit :limit offset :offset`,
        { workspaceId, limit, offset },
      );
      return { members, totalCount: await countRows(handle, MEMBERS, { workspaceId }) };
    },

    /** Returns those of the users who are members. */
    find: (workspaceId: string, userIds: readonly string[]): Promise<WorkspaceMember[]> =>
      rowsOf(
        handle,
        MEMBER,
        `select ${selectList(MEMBER)} ${MEMBERS} where user_id = any(:userIds) order by created_at, user_id`,
        { workspaceId, userIds },
      ),

    /** Returns the users who created active keys of the workspace. */
    async withActiveKeys(workspaceId: string, userIds: readonly string[]): Promise<Set<string>> {
      const rows = await rowsOf(
        handle,
        { user: text },
        `select distinct creator_user_id "user" from api_keys
         where workspace_id = :workspaceId and creator_user_id = any(:userIds) and deleted_at is null and not disabled
           and (expires_at is null or expires_at > now())`,
        { workspaceId, userIds },
      );
      return new Set(rows.map(({ user }) => user));
    },
  };
}
