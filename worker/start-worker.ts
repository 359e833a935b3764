/** Starts the worker: opens its resources, polls Temporal for work, and returns the steps of its shutdown. */
import { Client } from '@temporalio/client';
import { NativeConnection, type WorkerInterceptors } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import { createBroadcastBodyStore } from '../db/broadcast/body-store.ts';
import { createWakeStore } from '../db/broadcast/wake-store.ts';
import { createCatalogStore } from '../db/catalog/catalog-store.ts';
import { createDatabase, type Handle } from '../db/postgres/connection.ts';
import { createListener, type Listener } from '../db/postgres/listener.ts';
import { createLoggedBodyStore } from '../db/ledger/logged-body-store.ts';
import { meterPools } from '../db/postgres/pool-metrics.ts';
import type { Config } from '../platform/config.ts';
import { createMetrics } from '../platform/create-metrics.ts';
import { createEncryption } from '../platform/encryption.ts';
import type { Logger } from '../platform/logger.ts';
import { createObjectStore } from '../platform/create-object-store.ts';
import { type ResolveHost, resolveWithSystem } from '../platform/guarded-connector.ts';
import { listenForMetrics } from '../platform/metrics-listener.ts';
import { createOutboundGuard } from '../platform/outbound-guard.ts';
import { createOwnAddresses } from '../platform/own-addresses.ts';
import type { ShutdownStep } from '../platform/shutdown.ts';
import { connectTemporal, nativeConnectionOptions, requireSupportedTemporal } from '../platform/temporal.ts';
import { createNudger } from '../services/broadcast/nudger.ts';
import { createOwnProviders } from '../services/endpoints/own-providers.ts';
import { createBodyLog } from '../services/ledger/bodies/body-log.ts';
import { type Catalog, createCatalog } from '../services/catalog/catalog.ts';
import { createIsRoutable } from '../services/catalog/is-routable.ts';
import { createLiveProviders } from '../services/routing/live-providers.ts';
import { createRunStarter } from '../services/runs/run-starter.ts';
import { activityDeps, type WorkerParts } from './activity-deps.ts';
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
  /** The file with the bundled workflows. When absent, the worker uses the bundle of the build if there is one. */
  bundlePath?: string | undefined;
  /** Times that replace the product's own; only tests set them. */
  times?: Partial<WorkerTimes> | undefined;
  /** Resolves the hosts of receivers and of files behind URLs; the system's resolver when absent. */
  resolveHost?: ResolveHost | undefined;
}

/** Builds the worker from its configuration and starts polling. Needs Postgres and Temporal. */
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
  const data = await openDatabases(config, logger, times);
  const outbound = await openProviders(config, logger, data.knex, resolveHost);
  const temporal = await connectToTemporal(config, logger, times);
  const { knex, directoryDatabase, modelStatistics, metrics } = data;
  const { guard, catalog, providers, ownProviders, encryption } = outbound;
  const objectStore = await createObjectStore(config.objectStore);
  const bodies = createBodyLog({
    store: createLoggedBodyStore(knex),
    contents: createBroadcastBodyStore(knex),
    objectStore,
    encryption,
    retentionMs: config.loggedBodies.retentionMs,
    logger,
  });
  const runs = createRunStarter({ client: temporal.client });
  const nudger = createNudger({ store: createWakeStore(knex), runs, logger });
  const parts: WorkerParts = {
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
  };
  const { failed, drain } = await poll(config, parts, temporal.native, { interceptors, bundlePath });
  const shutdownSteps = stepsOf({ ...data, ...outbound, ...temporal, bodies, nudger, drain });
  return { failed, shutdownSteps };
}

async function openDatabases(config: Config, logger: Logger, times: WorkerTimes) {
  const database = createDatabase({ ...config.database, applicationName: 'sluice-worker', logger });
  const { knex } = database;
  const directoryDatabase = openDirectoryDatabase(config, logger);
  const modelStatistics = openModelStatistics(config, logger, knex, times.modelStatisticsIntervalMs);
  const metrics = createMetrics(config.metrics.workerPort);
  meterPools(metrics, { primary: database, statistics: modelStatistics });
  const backlog = openBacklogMetrics(metrics, config, logger);
  // Opens the port before the worker takes any work, so that a port in use ends the start.
  const metricsListener = await listenForMetrics({
    variable: 'WORKER_METRICS_PORT',
    host: config.metrics.host,
    port: config.metrics.workerPort,
    text: metrics.text,
    logger,
  });
  return { database, knex, directoryDatabase, modelStatistics, metrics, backlog, metricsListener };
}

/** Opens the catalog, the providers, and the guard of requests to providers, receivers and files behind URLs. */
async function openProviders(config: Config, logger: Logger, knex: Handle, resolveHost: ResolveHost) {
  const guard = createOutboundGuard({
    ...config.outbound,
    own: createOwnAddresses(config.http),
    resolve: resolveHost,
  });
  const catalog = await createCatalog({
    store: createCatalogStore(knex),
    isRoutable: createIsRoutable(config.providers),
  });
  const listener = listen(config, logger, catalog);
  const providers = createLiveProviders({
    catalog,
    credentials: config.providers,
    outbound: guard.media,
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
  });
  return { guard, catalog, listener, providers, encryption, ownProviders };
}

async function connectToTemporal(config: Config, logger: Logger, times: WorkerTimes) {
  const connection = await connectTemporal(config.temporal);
  await requireSupportedTemporal(connection);
  const client = new Client({ connection, namespace: config.temporal.namespace });
  const setup = await keepServerReady({
    client,
    connection,
    namespace: config.temporal.namespace,
    logger,
    intervals: { sweepRunMs: times.sweepRunMs, expireMs: times.expireIntervalMs },
    everyMs: times.setupIntervalMs,
  });
  const native = await NativeConnection.connect(await nativeConnectionOptions(config.temporal));
  return { connection, client, setup, native };
}

/** Runs the workers of all queues. `drain` stops them after their activities under way have ended. */
async function poll(
  config: Config,
  parts: WorkerParts,
  connection: NativeConnection,
  { interceptors, bundlePath }: Pick<StartWorkerOptions, 'interceptors' | 'bundlePath'>,
) {
  const stopRequested = new AbortController();
  const graceOver = new AbortController();
  const activities = createActivities(activityDeps(config, parts), {
    requested: stopRequested.signal,
    graceOver: graceOver.signal,
  });
  const { buildId, deploymentName, queues, shutdownGraceMs } = config.worker;
  const workers = await createWorkers({
    connection,
    namespace: config.temporal.namespace,
    queues,
    activities,
    shutdownGraceMs,
    interceptors,
    bundlePath,
    versioning: buildId === undefined ? undefined : { buildId, deploymentName },
  });
  const running = Promise.all(workers.map((worker) => worker.run()));
  const drain = async (): Promise<void> => {
    for (const worker of workers) worker.shutdown();
    stopRequested.abort();
    const grace = setTimeout(() => graceOver.abort(new Error('the worker stops')), shutdownGraceMs);
    await running.finally(() => clearTimeout(grace));
  };
  return { failed: running, drain };
}

type OpenParts = Awaited<ReturnType<typeof openDatabases>> &
  Awaited<ReturnType<typeof openProviders>> &
  Awaited<ReturnType<typeof connectToTemporal>> &
  Pick<WorkerParts, 'bodies' | 'nudger'> & { drain(): Promise<void> };

function stepsOf(open: OpenParts): ShutdownStep[] {
  return [
    { name: 'activities under way', run: open.drain },
    { name: 'statistics of models', run: () => open.modelStatistics.close() },
    { name: 'logged bodies', run: () => open.bodies.close() },
    { name: 'nudges', run: () => open.nudger.close() },
    { name: 'server setup', run: () => open.setup.stop() },
    { name: 'notices', run: () => open.listener.close() },
    { name: 'providers', run: () => open.providers.close() },
    { name: 'providers of customers', run: () => open.ownProviders.close() },
    { name: 'outbound', run: () => open.guard.close() },
    { name: 'worker connection', run: () => open.native.close() },
    { name: 'client connection', run: () => open.connection.close() },
    // Closes late, so that the metrics show the progress of the stop. They are read over the connections that close
    // next.
    { name: 'metrics', run: () => open.metricsListener.close() },
    { name: 'open work', run: () => open.backlog.close() },
    { name: 'database of syncs', run: () => open.directoryDatabase.close() },
    { name: 'database', run: () => open.database.close() },
  ];
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
    onLost: (error) =>
      logger.warn(
        { err: error },
        'notifications of catalog changes do not arrive until Postgres answers again',
      ),
  });
}
