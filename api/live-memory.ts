/** Creates all caches of an API process, and keeps them current by notices of Postgres. */
import { createApiKeyStore } from '../db/accounts/api-key-store.ts';
import { createCatalogStore } from '../db/catalog/catalog-store.ts';
import type { Handle } from '../db/postgres/connection.ts';
import { createKeyUseStore } from '../db/accounts/key-use-store.ts';
import { createListener, type Listener } from '../db/postgres/listener.ts';
import { createOutageDetector, type OutageDetector } from '../db/postgres/outage-detector.ts';
import { createPresetStore } from '../db/presets/preset-store.ts';
import { createVideoJobStore } from '../db/videos/video-job-store.ts';
import { createWorkspaceStore } from '../db/accounts/workspace-store.ts';
import { createOwnResourcesReadModel } from '../db/endpoints/own-resources-read-model.ts';
import type { Config } from '../platform/config.ts';
import type { Encryption } from '../platform/encryption.ts';
import type { Logger } from '../platform/logger.ts';
import type { Notices } from '../platform/noticed-cache.ts';
import type { OutboundGuard } from '../platform/outbound-guard.ts';
import { createOwnProviders, type OwnProviders } from '../services/endpoints/own-providers.ts';
import { createOwnViews, type OwnViews } from '../services/endpoints/own-views.ts';
import { createKeyUses } from '../services/accounts/identity/key-uses.ts';
import { createKeyVerifier, type KeyVerifier } from '../services/accounts/identity/key-verifier.ts';
import type { UnknownKeys } from '../services/accounts/identity/unknown-keys.ts';
import { createJobWatch, type JobWatch } from '../services/videos/job-watch.ts';
import { createPresetCache, type PresetCache } from '../services/presets/preset-cache.ts';
import { type Catalog, createCatalog } from '../services/catalog/catalog.ts';
import { createIsRoutable } from '../services/catalog/is-routable.ts';
import {
  createWorkspaceSettingsCache,
  type WorkspaceSettingsCache,
} from '../services/accounts/workspaces/workspace-settings-cache.ts';
import type { ApiTimes } from './api-times.ts';
import { createLiveInterns, type LiveInterns } from './interns/live-interns.ts';

/**
 * The in-memory data that serves requests without a read of the database. Notices report changes by other processes.
 */
export interface LiveMemory {
  keys: KeyVerifier;
  presetCache: PresetCache;
  workspaceSettings: WorkspaceSettingsCache;
  catalog: Catalog;
  /** Finds a workspace's own endpoints and keys. */
  ownViews: OwnViews;
  ownProviders: OwnProviders;
  interns: LiveInterns;
  /** Receives changes of jobs over the same connection. */
  jobWatch: JobWatch;
  /** Detects outages of Postgres for all reads that requests wait for. */
  detector: OutageDetector;
  close(): Promise<void>;
}

export interface LiveMemoryParts {
  config: Config;
  logger: Logger;
  knex: Handle;
  unknownKeys: UnknownKeys;
  guard: OutboundGuard;
  encryption: Encryption;
  times: Pick<ApiTimes, 'keyUseIntervalMs'>;
}

export async function createLiveMemory(parts: LiveMemoryParts): Promise<LiveMemory> {
  const { config, logger, knex, encryption } = parts;
  const detector = createOutageDetector({ url: config.database.url, logger });
  const notices = {
    isConnected: () => listener.isConnected(),
    heardUntilMs: () => listener.heardUntilMs(),
  };
  const catalog = await createCatalog({
    store: createCatalogStore(knex),
    isRoutable: createIsRoutable(config.providers),
  });
  const refreshCatalog = (): void => {
    catalog.reload().catch((error: unknown) => logger.error({ err: error }, 'catalog not read again'));
  };
  const { ownViews, ownProviders } = createOwnViewsAndProviders(parts, catalog, detector, notices);
  const keyUses = createKeyUses({
    store: createKeyUseStore(knex),
    everyMs: parts.times.keyUseIntervalMs,
    logger,
  });
  const caches = createCaches(parts, detector, notices, keyUses.note);
  const { keys, presetCache, workspaceSettings } = caches;
  const { publicUrl } = config.http;
  const interns = createLiveInterns({ knex, detector, notices, publicUrl, encryption, logger });
  const jobs = createVideoJobStore(knex);
  const jobWatch = createJobWatch({ statuses: (ids) => detector.run(() => jobs.statuses(ids)), logger });
  const listener = listen(config, logger, {
    ...caches,
    ownViews,
    interns,
    jobWatch,
    detector,
    refreshCatalog,
  });
  const close = async (): Promise<void> => {
    await keyUses.close();
    await listener.close();
    await detector.close();
    await ownProviders.close();
  };
  return {
    keys,
    presetCache,
    workspaceSettings,
    catalog,
    ownViews,
    ownProviders,
    interns,
    jobWatch,
    detector,
    close,
  };
}

type NoticedMemory = Pick<
  LiveMemory,
  'keys' | 'presetCache' | 'workspaceSettings' | 'ownViews' | 'interns' | 'jobWatch' | 'detector'
> & { refreshCatalog(): void };

/** Passes notices of changes by other processes to the caches that they concern. */
function listen(config: Config, logger: Logger, memory: NoticedMemory): Listener {
  const { keys, presetCache, workspaceSettings, ownViews, interns, jobWatch, detector, refreshCatalog } =
    memory;
  const onNotice: Record<string, (payload: string) => void> = {
    sluice_api_keys: keys.forget,
    sluice_presets: presetCache.forgetNoticed,
    sluice_workspaces: workspaceSettings.forget,
    sluice_catalog: refreshCatalog,
    sluice_endpoints: ownViews.forget,
    sluice_video_jobs: jobWatch.noticed,
    ...interns.onNotice,
  };
  return createListener({
    url: config.database.listenUrl,
    channels: Object.keys(onNotice),
    onNotice: (channel, payload) => onNotice[channel]?.(payload),
    onConnected: () => {
      // Goes first, because clearing the caches makes the next requests read Postgres.
      detector.noteRecovery();
      for (const cache of [keys, presetCache, workspaceSettings, ownViews, interns]) cache.forgetAll();
      refreshCatalog();
      jobWatch.connected();
    },
    onLost: (error) => {
      jobWatch.lost();
      logger.warn(
        { err: error },
        'notifications of changes do not arrive; cached values expire after one second',
      );
      detector.check();
    },
  });
}

function createOwnViewsAndProviders(
  { config, logger, knex, guard, encryption }: LiveMemoryParts,
  catalog: Catalog,
  detector: OutageDetector,
  notices: Notices,
): Pick<LiveMemory, 'ownViews' | 'ownProviders'> {
  const ownProviders = createOwnProviders({
    catalog,
    credentials: config.providers,
    encryption,
    guard,
    logger,
  });
  const store = createOwnResourcesReadModel(knex);
  const ownViews = createOwnViews({
    catalog,
    providers: ownProviders,
    store: { find: (organizationId) => detector.run(() => store.find(organizationId)) },
    notices,
  });
  return { ownViews, ownProviders };
}

function createCaches(
  { knex, unknownKeys }: LiveMemoryParts,
  detector: OutageDetector,
  notices: Notices,
  noteUse: (keyId: number) => void,
) {
  const [keys, otherKeys] = [createApiKeyStore(knex), createApiKeyStore(unknownKeys.reads)];
  const presets = createPresetStore(knex);
  const workspaces = createWorkspaceStore(knex);
  return {
    keys: createKeyVerifier({
      store: { findByHash: (hash) => detector.run(() => keys.findByHash(hash)) },
      unknownStore: { findByHash: (hash) => detector.run(() => otherKeys.findByHash(hash)) },
      unknownKeys,
      notices,
      noteUse,
    }),
    presetCache: createPresetCache({
      store: { findInUse: (workspaceId, slug) => detector.run(() => presets.findInUse(workspaceId, slug)) },
      notices,
    }),
    workspaceSettings: createWorkspaceSettingsCache({
      store: { findById: (id) => detector.run(() => workspaces.findById(id)) },
      notices,
    }),
  };
}
