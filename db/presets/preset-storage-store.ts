/** Counts the size of all versions of presets, by workspace. */
import { MAX_WORKSPACE_PRESET_BYTES } from '../../domain/presets/preset.ts';
import type { Handle } from '../postgres/connection.ts';
import { anyRows } from '../postgres/results.ts';

export function createPresetStorageStore(handle: Handle) {
  return {
    /**
     * Adds bytes to the storage of a workspace, and locks its count until the commit. Returns false, without adding
     * them, when the workspace has no room for them.
     */
    take: (workspaceId: string, bytes: number): Promise<boolean> =>
      anyRows(
        handle,
        `insert into preset_storage as s (workspace_id, bytes) values (:workspaceId, :bytes)
         on conflict (workspace_id) do update set bytes = s.bytes + excluded.bytes
           where s.bytes + excluded.bytes <= :max`,
        { workspaceId, bytes, max: MAX_WORKSPACE_PRESET_BYTES },
      ),
  };
}
