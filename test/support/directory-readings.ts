/** Reads what a directory made of an organization. */
import type { Handle } from './open-database.ts';
import { uncheckedRowsOf } from './knex-bridge.ts';
import { createWorkspaceMemberStore } from '../../db/accounts/workspace-member-store.ts';
import type { WorkspaceRole } from '../../domain/accounts/workspace-member.ts';

/** A member as a workspace shows it. */
export interface Shown {
  id: string;
  workspaceId: string;
  userId: string;
  role: WorkspaceRole;
}

/** Returns the reads of members and of keys. */
export function memberReadings(knex: Handle, organizationId: string) {
  return {
    async userOf(personId: string): Promise<string | null> {
      const [row] = await uncheckedRowsOf<{ user_id: string | null }>(
        knex,
        'select user_id from directory_people where id = ?',
        [personId],
      );
      return row?.user_id ?? null;
    },

    /** By user: the role in the organization. */
    async members(): Promise<Map<string, string>> {
      const rows = await uncheckedRowsOf<{ user_id: string; role: string }>(
        knex,
        'select user_id, role from organization_members where organization_id = ?',
        [organizationId],
      );
      return new Map(rows.map((row) => [row.user_id, row.role]));
    },

    /** The members that a workspace shows, by user. */
    async shown(workspaceId: string): Promise<Map<string, Shown>> {
      const { members } = await createWorkspaceMemberStore(knex).list(workspaceId, {
        limit: 1_000,
        offset: 0,
      });
      return new Map(members.map(({ id, userId, role }) => [userId, { id, workspaceId, userId, role }]));
    },

    async enabledKeys(): Promise<string[]> {
      const rows = await uncheckedRowsOf<{ hash: string }>(
        knex,
        'select hash from api_keys where organization_id = ? and not disabled and deleted_at is null order by id',
        [organizationId],
      );
      return rows.map(({ hash }) => hash);
    },
  };
}

/** Returns the reads of what is recorded about changes. */
export function changeReadings(knex: Handle, organizationId: string) {
  return {
    lines: (jobId: string | null = null) =>
      uncheckedRowsOf<{
        kind: string;
        user_id: string | null;
        workspace_id: string | null;
        key_hash: string | null;
        name: string;
        from_value: string | null;
        to_value: string | null;
        is_removal: boolean;
      }>(
        knex,
        `select kind, user_id, workspace_id, key_hash, name, from_value, to_value, is_removal from directory_changes
         where organization_id = :organizationId and job_id is not distinct from cast(:jobId as uuid) order by n`,
        { organizationId, jobId },
      ),

    async audited(): Promise<string[]> {
      const rows = await uncheckedRowsOf<{ line: string }>(
        knex,
        `select action || ' ' || target line from audit_log where organization_id = ? order by created_at, id`,
        [organizationId],
      );
      return rows.map(({ line }) => line);
    },
  };
}
