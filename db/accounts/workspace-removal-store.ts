import { DELETED_SLUG_PREFIX, type WorkspaceReference } from '../../domain/accounts/workspace.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import type { WorkspaceRow } from './workspace-rows.ts';

const IS_ACTIVE = 'not disabled and (expires_at is null or expires_at > now())';

/** Deletes a workspace, step by step in one transaction. */
export function createWorkspaceRemovalStore(handle: Handle) {
  return {
    ...removalChecks(handle),

    /**
     * Deletes the workspace's mappings and memberships of the directory, and the records of keys that the directory
     * disabled. Returns the ids of the mappings.
     */
    async removeFromDirectory(id: string): Promise<string[]> {
      const mappings = await uncheckedRowsOf<{ id: string }>(
        handle,
        'delete from directory_mappings where workspace_id = ? returning id',
        [id],
      );
      await handle('directory_memberships').where({ workspace_id: id }).delete();
      await handle('directory_left_memberships').where({ workspace_id: id }).delete();
      await handle.raw(
        'delete from directory_disabled_keys where key_hash in (select hash from api_keys where workspace_id = ?)',
        [id],
      );
      return mappings.map((mapping) => mapping.id);
    },

    /** Deletes the workspace's own vault. The vaults of its interns are deleted with the interns. */
    async removeVault(id: string): Promise<void> {
      await handle('vaults').where({ workspace_id: id }).delete();
    },

    /** Deletes the workspace and its remaining keys, which are not active. Its slug becomes free. */
    async remove(id: string): Promise<void> {
      await handle.raw(
        `update api_keys set disabled = true, deleted_at = now(), updated_at = now()
         where workspace_id = ? and deleted_at is null`,
        [id],
      );
      await handle.raw(
        `update workspaces set deleted_at = now(), updated_at = now(), slug = ?::text || id where id = ?`,
        [DELETED_SLUG_PREFIX, id],
      );
    },
  };
}

/** Builds the methods that lock a workspace and check whether anything prevents its deletion. */
function removalChecks(handle: Handle) {
  return {
    /** Locks the workspace until the commit. New jobs and keys wait for that, too. */
    async lock(
      organizationId: string,
      reference: WorkspaceReference,
    ): Promise<{ id: string; isDefault: boolean } | null> {
      const row = await handle<WorkspaceRow>('workspaces')
        .where({ organization_id: organizationId, deleted_at: null, ...reference })
        .forUpdate()
        .first('id', 'is_default');
      return row === undefined ? null : { id: row.id, isDefault: row.is_default };
    },

    async activeKeys(id: string): Promise<number> {
      const [row] = await uncheckedRowsOf<{ n: string }>(
        handle,
        `select count(*) n from api_keys where workspace_id = ? and deleted_at is null and ${IS_ACTIVE}`,
        [id],
      );
      return Number(row?.n ?? 0);
    },

    async hasInterns(id: string): Promise<boolean> {
      return (await handle('interns').where({ workspace_id: id }).first('id')) !== undefined;
    },

    async openJobs(id: string): Promise<number> {
      const [row] = await uncheckedRowsOf<{ n: string }>(
        handle,
        `select count(*) n from video_jobs where workspace_id = ? and status in ('pending', 'in_progress')`,
        [id],
      );
      return Number(row?.n ?? 0);
    },

    /** Locks the keys until the commit, so that none becomes active. */
    lockKeys: (id: string): Promise<{ hash: string; active: boolean }[]> =>
      uncheckedRowsOf(
        handle,
        `select hash, ${IS_ACTIVE} active from api_keys
         where workspace_id = ? and deleted_at is null order by id for no key update`,
        [id],
      ),
  };
}
