import os from 'node:os';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import { createEventRenderer } from '../activities/video-webhook-event.ts';
import { createCatalogStore } from '../db/catalog-store.ts';
import { createDatabase } from '../db/connection.ts';
import { createListener } from '../db/listener.ts';
import { createSweepStore } from '../db/sweep-store.ts';
import { shardOfProcess } from '../domain/shard.ts';
import { loadConfig } from '../platform/config.ts';
import { createEncryption } from '../platform/encryption.ts';
import { createLogger } from '../platform/logger.ts';
import { createObjectStore } from '../platform/create-object-store.ts';
import { createOutboundGuard } from '../platform/outbound-guard.ts';
import { onShutdown } from '../platform/shutdown.ts';
import { connectTemporal, nativeConnectionOptions } from '../platform/temporal.ts';
import { createStartPace } from '../services/jobs/start-pace.ts';
import { createCatalog } from '../services/routing/catalog.ts';
import { createLiveProviders } from '../services/routing/live-providers.ts';
import { createRunStarter } from '../services/runs/run-starter.ts';
import { createWorkers, findPrebuiltBundle } from './create-workers.ts';
import { keepServerReady } from './keep-server-ready.ts';
import { installRuntime } from './install-runtime.ts';

const SHUTDOWN_MARGIN_MS = 15_000;
const EXPIRE_OUTPUTS_EVERY_MS = 10 * 60_000;
/** A job this long past its deadline has no living run. */
const OVERDUE_AFTER_MS = 10 * 60_000;

const config = loadConfig(process.env);
const logger = createLogger({ level: config.logLevel, name: 'worker' });
for (const warning of config.warnings) logger.warn(warning);
installRuntime(logger);

const database = createDatabase({ ...config.database, applicationName: 'sluice-worker' });
const { knex } = database;
const guard = createOutboundGuard(config.outbound);
const objectStore = await createObjectStore(config.objectStore);
const encryption = createEncryption(config.encryption);
const catalog = await createCatalog({
  store: createCatalogStore(knex),
  isRoutable: (slug) => config.providers(slug).apiKey !== undefined,
});
const providers = createLiveProviders({ catalog, credentials: config.providers, outbound: guard, logger });
const refreshCatalog = (): void => {
  catalog.reload().catch((error: unknown) => logger.error({ err: error }, 'catalog not read again'));
};
const listener = createListener({
  url: config.database.listenUrl,
  channels: ['sluice_catalog'],
  onNotice: refreshCatalog,
  onConnected: refreshCatalog,
  onLost: (error) => logger.warn({ err: error }, 'catalog changes are not heard until Postgres is back'),
});

const connection = await connectTemporal(config.temporal);
const native = await NativeConnection.connect(await nativeConnectionOptions(config.temporal));
const { namespace } = config.temporal;
const client = new Client({ connection, namespace });
const runs = createRunStarter({ client });
const pace = createStartPace({
  store: createSweepStore(knex),
  startsPerSecond: config.jobs.startsPerSecond,
});

const settle = {
  knex,
  outputRetentionMs: config.jobs.outputRetentionMs,
  shard: shardOfProcess(os.hostname(), process.pid),
  renderEvent: createEventRenderer(config.http.publicUrl),
};
const webhookSchedule = { seconds: config.webhooks.scheduleSeconds, jitter: config.webhooks.jitter };
const activities = createActivities({
  video: {
    ...settle,
    catalog,
    objectStore,
    logger,
    webhookSchedule,
    videoAdapter: (slug) => providers.videoAdapter(slug),
    maxOutputBytes: config.jobs.maxOutputBytes,
    retryFloorMs: config.jobs.pollFloorMs,
    retryCeilingMs: config.jobs.pollCeilingMs,
    pollPace: {
      floorMs: config.jobs.pollFloorMs,
      ceilingMs: config.jobs.pollCeilingMs,
      deadlineMarginMs: 2 * config.jobs.pollFloorMs,
    },
    timeouts: { checkMs: config.jobs.checkTimeoutMs, storeMs: config.jobs.storeTimeoutMs },
  },
  webhooks: { knex, guard, encryption, timeoutMs: config.webhooks.timeoutMs },
  maintenance: {
    expire: { knex, objectStore },
    sweep: {
      knex,
      runs,
      pace,
      settle,
      logger,
      webhookSchedule,
      graceMs: config.jobs.sweepGraceMs,
      unclaimedAfterMs: config.jobs.unclaimedAfterMs,
      overdueAfterMs: OVERDUE_AFTER_MS,
    },
  },
});

const setup = await keepServerReady({
  client,
  connection,
  namespace,
  logger,
  intervals: { sweepMs: config.jobs.sweepIntervalMs, expireOutputsMs: EXPIRE_OUTPUTS_EVERY_MS },
});
const { buildId, deploymentName, queues, shutdownGraceMs } = config.worker;
const bundlePath = findPrebuiltBundle();
const workers = await createWorkers({
  connection: native,
  namespace,
  queues,
  activities,
  shutdownGraceMs,
  ...(bundlePath === undefined ? {} : { bundlePath }),
  ...(buildId === undefined ? {} : { versioning: { buildId, deploymentName } }),
});
const running = Promise.all(workers.map((worker) => worker.run()));
running.catch((error: unknown) => {
  logger.fatal({ err: error }, 'a worker failed');
  process.exit(1);
});
logger.info({ queues, namespace }, 'the worker polls its queues');

onShutdown(logger, shutdownGraceMs + SHUTDOWN_MARGIN_MS, [
  {
    name: 'activities under way',
    run: async () => {
      for (const worker of workers) worker.shutdown();
      await running;
    },
  },
  { name: 'server setup', run: async () => setup.stop() },
  { name: 'notices', run: () => listener.close() },
  { name: 'providers', run: () => providers.close() },
  { name: 'outbound', run: () => guard.close() },
  { name: 'temporal', run: async () => void (await Promise.all([native.close(), connection.close()])) },
  { name: 'database', run: () => database.close() },
]);
