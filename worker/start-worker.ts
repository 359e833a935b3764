import { Client } from '@temporalio/client';
import { NativeConnection, type WorkerInterceptors } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import { createBroadcastBodyStore } from '../db/broadcast/body-store.ts';
import { createWakeStore } from '../db/broadcast/wake-store.ts';
import { createCatalogStore } from '../db/catalog/catalog-store.ts';
import { createDatabase } from '../db/connection.ts';
import { createListener, type Listener } from '../db/listener.ts';
import { createLoggedBodyStore } from '../db/ledger/logged-body-store.ts';
import { meterPools } from '../db/pool-metrics.ts';
import type { Config } from '../platform/config.ts';
import { createMetrics } from '../platform/create-metrics.ts';
import { createEncryption } from '../platform/encryption.ts';
import type { Logger } from '../platform/logger.ts';
import { createObjectStore } from '../platform/create-object-store.ts';
import { type ResolveHost, resolveWithSystem } from '../platform/guarded-connector.ts';
import { listenForMetrics } from '../platform/metrics-listener.ts';
import { createOutboundGuard } from '../platform/outbound-guard.ts';
import type { ShutdownStep } from '../platform/shutdown.ts';
import { connectTemporal, nativeConnectionOptions } from '../platform/temporal.ts';
import { createNudger } from '../services/broadcast/nudger.ts';
import { withAllDialects } from '../services/live/dialects/all-dialects.ts';
import { createOwnProviders } from '../services/endpoints/own-providers.ts';
import { createBodyLog } from '../services/ledger/bodies/body-log.ts';
import { type Catalog, createCatalog } from '../services/catalog/catalog.ts';
import { createIsRoutable } from '../services/catalog/is-routable.ts';
import { createLiveProviders } from '../services/routing/live-providers.ts';
import { createRunStarter } from '../services/runs/run-starter.ts';
import { activityDeps } from './activity-deps.ts';
import { openBacklogMetrics } from './backlog-metrics.ts';
import { createWorkers, findPrebuiltBundle } from './create-workers.ts';
import { keepServerReady } from './keep-server-ready.ts';
import { openDirectoryDatabase } from './open-directory-database.ts';
import { openModelStatistics } from './open-model-statistics.ts';
import { WORKER_TIMES, type WorkerTimes } from './worker-times.ts';

export interface StartedWorker {
  /** Rejects when a worker fails; otherwise settles only after the worker was stopped. */
  failed: Promise<unknown>;
  /** The steps of a shutdown in their order: activities under way first, the database last. */
  shutdownSteps: ShutdownStep[];
}

export interface StartWorkerOptions {
  interceptors?: WorkerInterceptors | undefined;
  /** The file with the bundled workflows. When absent, the bundle of the build is used if there is one. */
  bundlePath?: string | undefined;
  /** Replace the product's own; only tests set them. */
  times?: Partial<WorkerTimes> | undefined;
  /** For receivers and for files behind URLs; the system's resolver when absent. */
  resolveHost?: ResolveHost | undefined;
}

/** Builds the worker from its configuration and polls. Needs Postgres and Temporal. */
export async function startWorker(
  config: Config,
  logger: Logger,
  {
    interceptors,
    bundlePath = findPrebuiltBundle(),
    times: ownTimes,
    resolveHost = resolveWithSystem,
  }: StartWorkerOptions = {},
): Promise<StartedWorker> {
  const times = { ...WORKER_TIMES, ...ownTimes };
  const database = createDatabase({ ...config.database, applicationName: 'sluice-worker', logger });
  const { knex } = database;
  const directoryDatabase = openDirectoryDatabase(config, logger);
  const modelStatistics = openModelStatistics(config, logger, knex, times.modelStatisticsIntervalMs);
  const metrics = createMetrics(config.metrics.workerPort);
  meterPools(metrics, { primary: database, statistics: modelStatistics });
  const backlog = openBacklogMetrics(metrics, config, logger);
  // Before any work is taken: a port that cannot be had ends the start.
  const metricsListener = await listenForMetrics({
    variable: 'WORKER_METRICS_PORT',
    host: config.metrics.host,
    port: config.metrics.workerPort,
    text: metrics.text,
    logger,
  });
  const guard = createOutboundGuard({ ...config.outbound, resolve: resolveHost });
  const catalog = await createCatalog({
    store: createCatalogStore(knex),
    isRoutable: createIsRoutable(config.providers),
  });
  const listener = listen(config, logger, catalog);
  const providers = createLiveProviders({
    catalog,
    credentials: config.providers,
    outbound: guard,
    logger,
    timeouts: { submitMs: config.jobs.submitTimeoutMs },
  });
  const encryption = createEncryption(config.encryption);
  const ownProviders = createOwnProviders({
    catalog,
    credentials: config.providers,
    encryption,
    guard,
    timeouts: { submitMs: config.jobs.submitTimeoutMs },
    logger,
    extend: withAllDialects,
  });
  const connection = await connectTemporal(config.temporal);
  const client = new Client({ connection, namespace: config.temporal.namespace });
  const setup = await keepServerReady({
    client,
    connection,
    namespace: config.temporal.namespace,
    logger,
    intervals: { sweepRunMs: times.sweepRunMs, expireMs: config.jobs.expireIntervalMs },
    everyMs: times.setupIntervalMs,
  });
  const native = await NativeConnection.connect(await nativeConnectionOptions(config.temporal));
  const objectStore = await createObjectStore(config.objectStore);
  const bodies = createBodyLog({
    store: createLoggedBodyStore(knex),
    contents: createBroadcastBodyStore(knex),
    objectStore,
    encryption,
    retentionMs: config.loggedBodies.retentionMs,
    logger,
  });
  const runs = createRunStarter({ client });
  const nudger = createNudger({ store: createWakeStore(knex), runs, logger });
  const stopRequested = new AbortController();
  const graceOver = new AbortController();
  const activities = createActivities(
    activityDeps(config, {
      knex,
      directoryKnex: directoryDatabase.knex,
      modelStatistics,
      catalog,
      providers,
      ownProviders,
      guard,
      logger,
      objectStore,
      encryption,
      bodies,
      runs,
      nudger,
      metrics,
      times,
    }),
    { requested: stopRequested.signal, graceOver: graceOver.signal },
  );
  const { buildId, deploymentName, queues, shutdownGraceMs } = config.worker;
  const workers = await createWorkers({
    connection: native,
    namespace: config.temporal.namespace,
    queues,
    activities,
    shutdownGraceMs,
    ...(interceptors === undefined ? {} : { interceptors }),
    ...(bundlePath === undefined ? {} : { bundlePath }),
    ...(buildId === undefined ? {} : { versioning: { buildId, deploymentName } }),
  });
  const running = Promise.all(workers.map((worker) => worker.run()));
  const drain = async (): Promise<void> => {
    for (const worker of workers) worker.shutdown();
    stopRequested.abort();
    const grace = setTimeout(() => graceOver.abort(new Error('the worker stops')), shutdownGraceMs);
    await running.finally(() => clearTimeout(grace));
  };
  return {
    failed: running,
    shutdownSteps: [
      { name: 'activities under way', run: drain },
      { name: 'statistics of models', run: () => modelStatistics.close() },
      { name: 'logged bodies', run: () => bodies.close() },
      { name: 'nudges', run: () => nudger.close() },
      { name: 'server setup', run: () => setup.stop() },
      { name: 'notices', run: () => listener.close() },
      { name: 'providers', run: () => providers.close() },
      { name: 'providers of customers', run: () => ownProviders.close() },
      { name: 'outbound', run: () => guard.close() },
      { name: 'worker connection', run: () => native.close() },
      { name: 'client connection', run: () => connection.close() },
      // It has shown how far the stop is, and reads over connections that are closed next.
      { name: 'metrics', run: () => metricsListener.close() },
      { name: 'open work', run: () => backlog.close() },
      { name: 'database of syncs', run: () => directoryDatabase.close() },
      { name: 'database', run: () => database.close() },
    ],
  };
}

function listen(config: Config, logger: Logger, catalog: Catalog): Listener {
  const refreshCatalog = (): void => {
    catalog.reload().catch((error: unknown) => logger.error({ err: error }, 'catalog not read again'));
  };
  return createListener({
    url: config.database.listenUrl,
    channels: ['sluice_catalog'],
    onNotice: refreshCatalog,
    onConnected: refreshCatalog,
    onLost: (error) => logger.warn({ err: error }, 'catalog changes are not heard until Postgres is back'),
  });
}
