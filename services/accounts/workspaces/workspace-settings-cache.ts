import { isPostgresDown } from '../../../db/postgres/outage.ts';
import type { WorkspaceStore } from '../../../db/accounts/workspace-store.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Workspace } from '../../../domain/accounts/workspace.ts';
import { createNoticedCache, type Notices } from '../../../platform/noticed-cache.ts';

export interface WorkspaceSettingsCacheOptions {
  store: Pick<WorkspaceStore, 'findById'>;
  notices: Notices;
  now?: () => number;
}

const MAX_ENTRIES = 10_000;

/** Caches the settings of workspaces that requests need. */
export function createWorkspaceSettingsCache(options: WorkspaceSettingsCacheOptions) {
  const { store, notices, now } = options;
  const cache = createNoticedCache<Workspace>({
    read: (id) => store.findById(id),
    notices,
    isDown: isPostgresDown,
    maxEntries: MAX_ENTRIES,
    now,
  });
  const read = async (workspaceId: string): Promise<Workspace> => {
    const workspace = await cache.get(workspaceId);
    // The workspace was deleted after its key was verified.
    if (workspace === null) throw new AppError('invalid_credential');
    return workspace;
  };
  return {
    /** Returns the settings of a key's workspace. Reads the database only when they are not cached. */
    // Cached settings are returned without a promise, which would cost each request a turn of the event loop.
    of: (workspaceId: string): Workspace | Promise<Workspace> => cache.peek(workspaceId) ?? read(workspaceId),
    /** Removes a workspace from the cache, after a notice on `sluice_workspaces`. */
    forget: cache.forget,
    /** Empties the cache, because notices may have been missed. */
    forgetAll: cache.forgetAll,
  };
}

export type WorkspaceSettingsCache = ReturnType<typeof createWorkspaceSettingsCache>;
