import { createApiKeyStore } from '../db/api-key-store.ts';
import { createCatalogStore } from '../db/catalog-store.ts';
import type { Handle } from '../db/connection.ts';
import { createListener } from '../db/listener.ts';
import { createPresetStore } from '../db/preset-store.ts';
import { createWorkspaceStore } from '../db/workspace-store.ts';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import { createKeyVerifier, type KeyVerifier } from '../services/identity/key-verifier.ts';
import { createPresetCache, type PresetCache } from '../services/presets/preset-cache.ts';
import { type Catalog, createCatalog } from '../services/routing/catalog.ts';
import {
  createWorkspaceSettingsCache,
  type WorkspaceSettingsCache,
} from '../services/workspaces/workspace-settings-cache.ts';

/** What requests are answered from without a read of the database; other processes' changes arrive as notices. */
export interface LiveMemory {
  keys: KeyVerifier;
  presetCache: PresetCache;
  workspaceSettings: WorkspaceSettingsCache;
  catalog: Catalog;
  close(): Promise<void>;
}

export async function createLiveMemory(config: Config, logger: Logger, knex: Handle): Promise<LiveMemory> {
  const isListening = () => listener.isConnected();
  const catalog = await createCatalog({
    store: createCatalogStore(knex),
    isRoutable: (slug) => config.providers(slug).apiKey !== undefined,
  });
  const refreshCatalog = (): void => {
    catalog.reload().catch((error: unknown) => logger.error({ err: error }, 'catalog not read again'));
  };
  const keys = createKeyVerifier({ store: createApiKeyStore(knex), isListening });
  const presetCache = createPresetCache({ store: createPresetStore(knex), isListening });
  const workspaceSettings = createWorkspaceSettingsCache({ store: createWorkspaceStore(knex), isListening });
  const forgetOn: Record<string, (payload: string) => void> = {
    sluice_api_keys: keys.forget,
    sluice_presets: presetCache.forgetNoticed,
    sluice_workspaces: workspaceSettings.forget,
    sluice_catalog: refreshCatalog,
  };
  const listener = createListener({
    url: config.database.listenUrl,
    channels: Object.keys(forgetOn),
    onNotice: (channel, payload) => forgetOn[channel]?.(payload),
    onConnected: () => {
      for (const cache of [keys, presetCache, workspaceSettings]) cache.forgetAll();
      refreshCatalog();
    },
    onLost: (error) => logger.warn({ err: error }, 'changes are not heard; what is cached lives one second'),
  });
  return { keys, presetCache, workspaceSettings, catalog, close: () => listener.close() };
}
