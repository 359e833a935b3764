import { Client } from '@temporalio/client';
import type { ActivityDeps } from '../../activities/index.ts';
import { createBroadcastBodyStore } from '../../db/broadcast/body-store.ts';
import { createCatalogStore } from '../../db/catalog/catalog-store.ts';
import { createDatabase, type Handle } from './open-database.ts';
import { createLoggedBodyStore } from '../../db/ledger/logged-body-store.ts';
import { createObjectStore } from '../../platform/create-object-store.ts';
import { createEncryption } from '../../platform/encryption.ts';
import { createLogger } from '../../platform/logger.ts';
import { NO_METRICS } from '../../platform/metrics.ts';
import { createOutboundGuard } from '../../platform/outbound-guard.ts';
import { connectTemporal } from '../../platform/temporal.ts';
import { createOwnProviders } from '../../services/endpoints/own-providers.ts';
import { createBodyLog } from '../../services/ledger/bodies/body-log.ts';
import { createCatalog } from '../../services/catalog/catalog.ts';
import { createLiveProviders } from '../../services/routing/live-providers.ts';
import { createRunStarter } from '../../services/runs/run-starter.ts';
import { activityDeps } from '../../worker/activity-deps.ts';
import { WORKER_TIMES } from '../../worker/worker-times.ts';
import type { Gateway } from './gateway.ts';

export interface TestActivityDeps extends ActivityDeps {
  knex: Handle;
  close(): Promise<void>;
}

/** What a worker hands to its activities, for tests that call the services themselves. */
export async function createActivityDeps(gateway: Gateway): Promise<TestActivityDeps> {
  const { config } = gateway;
  const logger = createLogger({ level: 'fatal', name: 'test' });
  const database = createDatabase({ ...config.database, applicationName: 'sluice-test' });
  const guard = createOutboundGuard(config.outbound);
  const catalog = await createCatalog({
    store: createCatalogStore(database.knex),
    isRoutable: (slug) => config.providers(slug).apiKey !== undefined,
  });
  const providers = createLiveProviders({ catalog, credentials: config.providers, outbound: guard, logger });
  const connection = await connectTemporal(config.temporal);
  const objectStore = await createObjectStore(config.objectStore);
  const encryption = createEncryption(config.encryption);
  const ownProviders = createOwnProviders({
    catalog,
    credentials: config.providers,
    encryption,
    guard,
    logger,
  });
  const bodies = createBodyLog({
    store: createLoggedBodyStore(database.knex),
    contents: createBroadcastBodyStore(database.knex),
    objectStore,
    encryption,
    retentionMs: config.loggedBodies.retentionMs,
    logger,
  });
  const deps = activityDeps(config, {
    knex: database.knex,
    directoryKnex: database.knex,
    modelStatistics: { wake() {} },
    catalog,
    providers,
    ownProviders,
    guard,
    logger,
    objectStore,
    encryption,
    bodies,
    nudger: { noteLogged: () => {}, wake: () => {}, wakeNext: () => {}, close: () => Promise.resolve() },
    runs: createRunStarter({ client: new Client({ connection, namespace: config.temporal.namespace }) }),
    metrics: NO_METRICS,
    times: WORKER_TIMES,
  });
  return {
    ...deps,
    knex: database.knex,
    async close() {
      await bodies.close();
      await providers.close();
      await ownProviders.close();
      await guard.close();
      await connection.close();
      await database.close();
    },
  };
}
