import { Client } from '@temporalio/client';
import { createApiKeyStore } from '../db/api-key-store.ts';
import { createCatalogStore } from '../db/catalog-store.ts';
import { createDatabase } from '../db/connection.ts';
import type { Handle } from '../db/connection.ts';
import { createListener, type Listener } from '../db/listener.ts';
import { createSweepStore } from '../db/sweep-store.ts';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import { createOutboundGuard } from '../platform/outbound-guard.ts';
import type { ShutdownStep } from '../platform/shutdown.ts';
import { connectTemporal } from '../platform/temporal.ts';
import { createKeyVerifier, type KeyVerifier } from '../services/identity/key-verifier.ts';
import { createStartPace } from '../services/jobs/start-pace.ts';
import { createJobStarter, type JobStarter } from '../services/jobs/starter.ts';
import { createCatalog, type Catalog } from '../services/routing/catalog.ts';
import { createLiveProviders } from '../services/routing/live-providers.ts';
import { createRunStarter, type RunStarter } from '../services/runs/run-starter.ts';
import { createApp } from './app.ts';
import { createServices } from './create-services.ts';
import { createServer } from './server.ts';

export interface StartedApi {
  port: number;
  /** In the order in which to stop: what is in flight first, the database last. */
  shutdownSteps: ShutdownStep[];
}

/** Builds the API from its configuration and listens. Needs Postgres now, Temporal only when a job starts. */
export async function startApi(config: Config, logger: Logger): Promise<StartedApi> {
  const database = createDatabase({ ...config.database, applicationName: 'sluice-api', logger });
  const { knex } = database;
  const guard = createOutboundGuard(config.outbound);
  const catalog = await createCatalog({
    store: createCatalogStore(knex),
    isRoutable: (slug) => config.providers(slug).apiKey !== undefined,
  });
  // They are asked nothing here: an adapter reads the callbacks of its vendor.
  const providers = createLiveProviders({ catalog, credentials: config.providers, outbound: guard, logger });
  // Lazy: jobs are accepted while Temporal is away, and the sweep starts them later.
  const connection = await connectTemporal(config.temporal, { lazy: true });
  const runs = createRunStarter({ client: new Client({ connection, namespace: config.temporal.namespace }) });
  const starter = createStarter(config, logger, knex, runs);
  const keys: KeyVerifier = createKeyVerifier({
    store: createApiKeyStore(knex),
    isListening: () => listener.isConnected(),
  });
  const listener = listen(config, logger, keys, catalog);

  const services = await createServices({
    config,
    logger,
    knex,
    guard,
    connection,
    runs,
    keys,
    catalog,
    providers,
    starter,
  });
  const app = createApp(services, {
    logger,
    publicUrl: config.http.publicUrl,
    signedUrlMs: config.jobs.signedUrlMs,
    maxBodyBytes: config.http.maxBodyBytes,
    maxGenerationBodyBytes: config.http.maxGenerationBodyBytes,
  });
  const server = createServer(app.callback());
  return {
    port: await server.listen(config.http.port, config.http.host),
    shutdownSteps: [
      { name: 'requests under way', run: () => server.close(config.http.shutdownGraceMs) },
      { name: 'job starts', run: () => starter.drain() },
      { name: 'notices', run: () => listener.close() },
      { name: 'providers', run: () => providers.close() },
      { name: 'outbound', run: () => guard.close() },
      { name: 'temporal', run: () => connection.close() },
      { name: 'database', run: () => database.close() },
    ],
  };
}

function createStarter(config: Config, logger: Logger, knex: Handle, runs: RunStarter): JobStarter {
  const store = createSweepStore(knex);
  const { startConcurrency: concurrency } = config.jobs;
  return createJobStarter({
    runs,
    store,
    pace: createStartPace({ store, ...config.jobs }),
    logger,
    concurrency,
    sweptAfterMs: config.jobs.sweepGraceMs,
  });
}

/** Changes that other processes make to keys and catalog. */
function listen(config: Config, logger: Logger, keys: KeyVerifier, catalog: Catalog): Listener {
  const refreshCatalog = (): void => {
    catalog.reload().catch((error: unknown) => logger.error({ err: error }, 'catalog not read again'));
  };
  return createListener({
    url: config.database.listenUrl,
    channels: ['sluice_api_keys', 'sluice_catalog'],
    onNotice: (channel, payload) => {
      if (channel === 'sluice_api_keys') keys.forget(payload);
      else refreshCatalog();
    },
    onConnected: () => {
      keys.forgetAll();
      refreshCatalog();
    },
    onLost: (error) => logger.warn({ err: error }, 'changes are not heard; cached keys live one second'),
  });
}
