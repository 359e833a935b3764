import { DELETED_SLUG_PREFIX, type WorkspaceReference } from '../../domain/accounts/workspace.ts';
import type { Handle } from '../postgres/connection.ts';
import { anyRows, countRows, firstRow, idsOf } from '../postgres/results.ts';
import { bool, text, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';
import { workspaceBy } from './workspace-rows.ts';

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
      const removal = 'delete from directory_mappings where workspace_id = :id returning id';
      const mappingIds = await idsOf(handle, removal, { id });
      await run(handle, 'delete from directory_memberships where workspace_id = :id', { id });
      await run(handle, 'delete from directory_left_memberships where workspace_id = :id', { id });
      await run(
        handle,
        `delete from directory_disabled_keys
         where key_hash in (select hash from api_keys where workspace_id = :id)`,
        { id },
      );
      return mappingIds;
    },

    /** Deletes the workspace's own vault. The vaults of its interns are deleted with the interns. */
    async removeVault(id: string): Promise<void> {
      await run(handle, 'delete from vaults where workspace_id = :id', { id });
    },

    /** Deletes the workspace and its remaining keys, which are not active. Its slug becomes free. */
    async remove(id: string): Promise<void> {
      await run(
        handle,
        `update api_keys set disabled = true, deleted_at = now(), updated_at = now()
         where workspace_id = :id and deleted_at is null`,
        { id },
      );
      await run(
        handle,
        `update workspaces set deleted_at = now(), updated_at = now(), slug = :prefix::text || id where id = :id`,
        { id, prefix: DELETED_SLUG_PREFIX },
      );
    },
  };
}

/** Builds the methods that lock a workspace and check whether anything prevents its deletion. */
function removalChecks(handle: Handle) {
  return {
    /** Locks the workspace until the commit. New jobs and keys wait for that, too. */
    lock: (
      organizationId: string,
      reference: WorkspaceReference,
    ): Promise<{ id: string; isDefault: boolean } | null> =>
      firstRow(
        handle,
        { id: uuid, isDefault: bool },
        workspaceBy(organizationId, reference).forUpdate().select('id', 'is_default as isDefault'),
      ),

    activeKeys: (id: string): Promise<number> =>
      countRows(handle, `from api_keys where workspace_id = :id and deleted_at is null and ${IS_ACTIVE}`, {
        id,
      }),

    hasInterns: (id: string): Promise<boolean> =>
      anyRows(handle, 'select from interns where workspace_id = :id limit 1', { id }),

    openJobs: (id: string): Promise<number> =>
      countRows(handle, `from video_jobs where workspace_id = :id and status in ('pending', 'in_progress')`, {
        id,
      }),

    /** Locks the keys until the commit, so that none becomes active. */
    lockKeys: (id: string): Promise<{ hash: string; active: boolean }[]> =>
      rowsOf(
        handle,
        { hash: text, active: bool },
        `select hash, ${IS_ACTIVE} active from api_keys
         where workspace_id = :id and deleted_at is null order by id for no key update`,
        { id },
      ),
  };
}
