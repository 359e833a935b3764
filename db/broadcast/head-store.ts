import { SHARDS } from '../../domain/shard.ts';
import type { Handle } from '../postgres/connection.ts';
import { run } from '../postgres/statement.ts';

/**
 * Stores which workspaces are logged: those that have a destination, enabled or not, and whose setting
 * `is_observability_broadcast_enabled` is on. The caller locks the workspace's row first. The heads are locked last, as
 * in the ledger's statement.
 */
export function createHeadStore(handle: Handle) {
  /** Updates the heads of a workspace. Creates none if the workspace has none. */
  const refreshLogging = async (workspaceId: string): Promise<void> => {
    const lock = 'select from broadcast_heads where workspace_id = :workspaceId order by shard for update';
    await run(handle, lock, { workspaceId });
    await run(
      handle,
      `with decided as materialized (
         select id, clock_timestamp() as at,
           is_observability_broadcast_enabled and deleted_at is null
             and exists (select from observability_destinations d where d.workspace_id = w.id) as is_logged
         from workspaces w where id = :workspaceId)
       update broadcast_heads h
       set is_logged = d.is_logged,
         logged_since = case when d.is_logged then d.at else h.logged_since end,
         moved_at = case when d.is_logged then greatest(h.moved_at, d.at) else h.moved_at end
       from decided d
       where h.workspace_id = d.id and h.is_logged <> d.is_logged`,
      { workspaceId },
    );
  };

  return {
    refreshLogging,

    /** Creates missing heads of the workspace and then updates them. */
    async startLogging(workspaceId: string): Promise<void> {
      await run(
        handle,
        `insert into broadcast_heads (workspace_id, shard, is_logged)
         select :workspaceId::uuid, shard, false from generate_series(0, ${SHARDS - 1}) shard
         on conflict (workspace_id, shard) do nothing`,
        { workspaceId },
      );
      await refreshLogging(workspaceId);
    },

    /**
     * Places the cursors of a new destination at the present position of each shard. The caller holds the lock of the
     * heads.
     */
    async startCursors(destinationId: string, workspaceId: string): Promise<void> {
      await run(
        handle,
        `insert into broadcast_cursors (destination_id, shard, pos, moved_at)
         select :destinationId::uuid, shard, pos, moved_at from broadcast_heads where workspace_id = :workspaceId`,
        { destinationId, workspaceId },
      );
    },
  };
}
