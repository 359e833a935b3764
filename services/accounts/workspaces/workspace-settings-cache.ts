import { isAway } from '../../../db/outage.ts';
import type { WorkspaceStore } from '../../../db/accounts/workspace-store.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Workspace } from '../../../domain/accounts/workspace.ts';
import { createNoticedCache, type Notices } from '../../../platform/noticed-cache.ts';

/** Caches the settings of workspaces that requests need. */
export interface WorkspaceSettingsCache {
  /** Returns the settings of a key's workspace. Reads the database only when they are not cached. */
  of(workspaceId: string): Workspace | Promise<Workspace>;
  /** Removes a workspace from the cache, after a notice on `sluice_workspaces`. */
  forget(workspaceId: string): void;
  /** Empties the cache, because notices may have been missed. */
  forgetAll(): void;
}

export interface WorkspaceSettingsCacheOptions {
  store: Pick<WorkspaceStore, 'findById'>;
  notices: Notices;
  now?: () => number;
}

const MAX_ENTRIES = 10_000;

export function createWorkspaceSettingsCache(options: WorkspaceSettingsCacheOptions): WorkspaceSettingsCache {
  const { store, notices, now } = options;
  const cache = createNoticedCache<Workspace>({
    read: (id) => store.findById(id),
    notices,
    isAway,
    maxEntries: MAX_ENTRIES,
    ...(now === undefined ? {} : { now }),
  });
  const read = async (workspaceId: string): Promise<Workspace> => {
    const workspace = await cache.get(workspaceId);
    // The workspace was deleted after its key was verified.
    if (workspace === null) throw new AppError('invalid_credential');
    return workspace;
  };
  return {
    // Cached settings are returned without a promise, which would cost each request a turn of the event loop.
    of: (workspaceId) => cache.peek(workspaceId) ?? read(workspaceId),
    forget: cache.forget,
    forgetAll: cache.forgetAll,
  };
}
