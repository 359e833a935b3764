/** Starts the API within a process: opens its resources, listens, and returns the steps of its shutdown. */
import { hostname } from 'node:os';
import { Client } from '@temporalio/client';
import type { Handle } from '../db/postgres/connection.ts';
import { createLoggedBodyStore } from '../db/ledger/logged-body-store.ts';
import { createModelStatisticsStore } from '../db/catalog/model-statistics-store.ts';
import { createBroadcastBodyStore } from '../db/broadcast/body-store.ts';
import { createWakeStore } from '../db/broadcast/wake-store.ts';
import { createEgressLogStore } from '../db/interns/egress-log-store.ts';
import type { OutageDetector } from '../db/postgres/outage-detector.ts';
import { createSweepStore } from '../db/videos/sweep-store.ts';
import { shardOfChild, shardOfProcess } from '../domain/shard.ts';
import { createAnswersInFlight } from '../platform/answers-in-flight.ts';
import type { Config } from '../platform/config.ts';
import { createObjectStore } from '../platform/create-object-store.ts';
import type { ObjectStore } from '../platform/object-store.ts';
import { createEncryption, type Encryption } from '../platform/encryption.ts';
import { hopMarks } from '../platform/hop-marks.ts';
import type { Logger } from '../platform/logger.ts';
import type { ProcessMetrics } from '../platform/metrics.ts';
import { listenForMetrics } from '../platform/metrics-listener.ts';
import { createOutboundGuard, type OutboundGuard } from '../platform/outbound-guard.ts';
import { createOwnAddresses, type OwnAddresses } from '../platform/own-addresses.ts';
import type { ShutdownStep } from '../platform/shutdown.ts';
import { connectTemporal } from '../platform/temporal.ts';
import {
  createModelStatistics,
  type ModelStatistics,
} from '../services/catalog/statistics/model-statistics.ts';
import { createUnknownKeys, type UnknownKeys } from '../services/accounts/identity/unknown-keys.ts';
import { createWrongKeys, type WrongKeys } from '../services/accounts/identity/wrong-keys.ts';
import { createEgressLog, type EgressLog } from '../services/interns/egress/egress-log.ts';
import { createStartPace } from '../services/videos/start-pace.ts';
import { createJobStarter, type JobStarter } from '../services/videos/starter.ts';
import { createNudger } from '../services/broadcast/nudger.ts';
import { openLedger } from '../services/ledger/open-ledger.ts';
import { type BodyLog, createBodyLog } from '../services/ledger/bodies/body-log.ts';
import { createLiveProviders, type LiveProviders } from '../services/routing/live-providers.ts';
import { createRunStarter, type RunStarter } from '../services/runs/run-starter.ts';
import { API_TIMES, type ApiTimes } from './api-times.ts';
import { type AppOptions, createApp } from './app.ts';
import { createServices } from './create-services.ts';
import { createLiveMemory, type LiveMemory } from './live-memory.ts';
import { type Databases, openDatabases } from './open-databases.ts';
import { type ProcessShare, shareOf } from './process-share.ts';
import type { ServiceParts } from './service-parts.ts';
import { boundsOfProcess } from './http/connection-bounds.ts';
import { createConnectionGate } from './http/connection-gate.ts';
import { createRequestMetrics } from './http/request-metrics.ts';
import { createCallerAddresses } from './http/request/caller-addresses.ts';
import { createServer } from './http/server.ts';
import { shutdownStepsOf } from './shutdown-steps.ts';
import { watchSpending } from './watch-spending.ts';

export interface StartedApi {
  port: number;
  /** The metrics of this process. With several processes the primary one collects them, and this one opens no port. */
  metrics: ProcessMetrics;
  /** The steps of the shutdown in order: requests in flight first, the database last. */
  shutdownSteps: ShutdownStep[];
  /** Makes the shutdown wait until clients have reconnected to another process (see `ApiServer`). */
  allowTimeToReconnect(): void;
}

export interface StartApiOptions {
  /** The number of this process, when it is one of several. */
  child?: number | undefined;
  /** Counts the wrong keys of addresses; by default those of this process. */
  wrongKeys?: WrongKeys;
  /** Times that replace the product's own; only tests set them. */
  times?: Partial<ApiTimes> | undefined;
}

/**
 * Builds the API from its configuration and listens. Needs Postgres at the start, and Temporal only when a job starts.
 */
export async function startApi(
  config: Config,
  logger: Logger,
  { child, wrongKeys = createWrongKeys(), times: ownTimes }: StartApiOptions = {},
): Promise<StartedApi> {
  const times = { ...API_TIMES, ...ownTimes };
  const share = shareOf(config);
  const data = openDatabases(config, logger, share);
  const { metrics } = data;
  const own = createOwnAddresses(config.http);
  const stopping = new AbortController();
  const opening = { config, logger, times, share, data, own, wrongKeys, child, stopping: stopping.signal };
  const { parts, closeSpending } = await openParts(opening);
  const addresses = createCallerAddresses(config.http.trustedProxies);
  const bounds = boundsOfProcess(share.poolMax + share.heavyReads + share.unknownKeyReads, logger);
  const gate = createConnectionGate({ bounds, addresses, metrics, logger });
  const app = createApp(createServices(parts), appOptions(parts, { addresses, gate }));
  const server = createServer(app.callback(), { gate });
  // Opens the port before the API serves callers, so that a port in use ends the start.
  const metricsListener = await listenForMetrics({
    variable: 'METRICS_PORT',
    host: config.metrics.host,
    port: child === undefined ? config.metrics.apiPort : undefined,
    text: metrics.text,
    logger,
  });
  const port = await server.listen(config.http.port, config.http.host);
  own.listensOn(port);
  return {
    port,
    metrics,
    allowTimeToReconnect: () => server.allowTimeToReconnect(),
    shutdownSteps: shutdownStepsOf({ data, parts, closeSpending, server, metricsListener, stopping }),
  };
}

interface Opening {
  config: Config;
  logger: Logger;
  times: ApiTimes;
  share: ProcessShare;
  data: Databases;
  own: OwnAddresses;
  wrongKeys: WrongKeys;
  child: number | undefined;
  /** Aborted when the process begins to stop. */
  stopping: AbortSignal;
}

/** Opens the parts that the services of this process are built from. */
async function openParts(opening: Opening): Promise<{ parts: ServiceParts; closeSpending(): Promise<void> }> {
  const { config, logger, times, share, data, own, child, stopping } = opening;
  const { metrics } = data;
  const { knex } = data.database;
  const modelStatistics = watchModels(times, logger, knex);
  const guard = createOutboundGuard({ ...config.outbound, own });
  const egressGuard = createOutboundGuard({ ...config.outbound, own, onlyPort443: true });
  const encryption = createEncryption(config.encryption);
  const unknownKeys = openUnknownKeys(opening);
  const memory = await createLiveMemory({ config, logger, knex, unknownKeys, guard, encryption, times });
  const { detector } = memory;
  const providers = openProviders(config, logger, memory, guard.media);
  // Connects lazily: during an outage of Temporal, jobs are accepted, and the sweep starts them later.
  const connection = await connectTemporal(config.temporal, { lazy: true });
  const runs = createRunStarter({ client: new Client({ connection, namespace: config.temporal.namespace }) });
  const starter = createStarter(config, times, { logger, knex, runs });
  const nudger = createNudger({ store: createWakeStore(knex), runs, logger });
  const ledger = await openLedger({
    url: config.database.listenUrl,
    detector,
    spool: config.ledger.spool && { ...config.ledger.spool, maxBytes: share.spoolBytes },
    shard: shardOf(child),
    metrics,
    onLogged: nudger.noteLogged,
    logger,
  });
  const { spending, close: closeSpending } = watchSpending({
    ...opening,
    metrics,
    knex,
    detector,
    ledger,
    runs,
  });
  const objectStore = await createObjectStore(config.objectStore);
  const bodies = keepBodies(config, logger, knex, objectStore, encryption);
  const egressLog = keepEgressLog(knex, detector, logger);
  const opened = { unknownKeys, guard, egressGuard, egressLog, connection, runs, memory, modelStatistics };
  const stores = { providers, starter, spending, ledger, objectStore, encryption, bodies, nudger };
  const parts = {
    config,
    share,
    logger,
    metrics,
    knex,
    heavyReads: data.heavyReads.knex,
    stopping,
    ...opened,
    ...stores,
  };
  return { parts, closeSpending };
}

function openUnknownKeys({ share, data, wrongKeys, logger }: Opening): UnknownKeys {
  const { unknownKeyReads, metrics } = data;
  const maxConcurrent = share.unknownKeyReads;
  return createUnknownKeys({ reads: unknownKeyReads.knex, maxConcurrent, wrongKeys, metrics, logger });
}

function openProviders(
  config: Config,
  logger: Logger,
  { catalog, ownProviders: own }: LiveMemory,
  outbound: OutboundGuard['media'],
): LiveProviders {
  const credentials = config.providers;
  return createLiveProviders({ catalog, credentials, own, outbound, logger });
}

/** Returns the shard of the counters that this process writes. */
function shardOf(child: number | undefined): number {
  return child === undefined ? shardOfProcess(hostname(), process.pid) : shardOfChild(hostname(), child);
}

function keepBodies(
  config: Config,
  logger: Logger,
  knex: Handle,
  objectStore: ObjectStore,
  encryption: Encryption,
): BodyLog {
  const { retentionMs } = config.loggedBodies;
  const store = createLoggedBodyStore(knex);
  const contents = createBroadcastBodyStore(knex);
  return createBodyLog({ store, contents, objectStore, encryption, retentionMs, logger });
}

function appOptions(
  { config, logger, metrics, share, encryption }: ServiceParts,
  { addresses, gate }: Pick<AppOptions, 'addresses' | 'gate'>,
): AppOptions {
  return {
    logger,
    metrics: createRequestMetrics(metrics),
    publicUrl: config.http.publicUrl,
    signedUrlMs: config.jobs.signedUrlMs,
    pollBounds: { shortestMs: config.jobs.pollFloorMs, longestMs: config.jobs.pollCeilingMs },
    gate,
    addresses,
    countryHeader: config.http.countryHeader,
    corsOrigins: config.http.corsOrigins,
    temporalUiUrl: namespaceUrl(config.temporal),
    retention: { generationsMs: config.ledger.retentionMs, contentsMs: config.loggedBodies.retentionMs },
    hopMarks: hopMarks(encryption, config.http.publicUrl),
    maxBodyBytes: config.http.maxBodyBytes,
    maxGenerationBodyBytes: config.http.maxGenerationBodyBytes,
    bodyBytes: share.bodyBytes,
    answers: createAnswersInFlight({ ...share.answers, metrics }),
  };
}

/** Returns the page of the Temporal UI that lists the runs of this installation. */
function namespaceUrl({ uiUrl, namespace }: Config['temporal']): string | undefined {
  return uiUrl && `${uiUrl.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}`;
}

function watchModels(times: ApiTimes, logger: Logger, knex: Handle): ModelStatistics {
  const store = createModelStatisticsStore(knex);
  const statistics = createModelStatistics({ store, intervalMs: times.modelStatisticsIntervalMs, logger });
  statistics.start();
  return statistics;
}

function keepEgressLog(knex: Handle, detector: Pick<OutageDetector, 'run'>, logger: Logger): EgressLog {
  const store = createEgressLogStore(knex);
  return createEgressLog({
    store: { ...store, insert: (entries) => detector.run(() => store.insert(entries)) },
    logger,
  });
}

function createStarter(
  { jobs }: Config,
  { sweepGraceMs }: ApiTimes,
  { logger, knex, runs }: { logger: Logger; knex: Handle; runs: RunStarter },
): JobStarter {
  const store = createSweepStore(knex);
  return createJobStarter({
    runs,
    store,
    pace: createStartPace({ store, slowClaimMs: jobs.slowClaimMs }),
    logger,
    sweptAfterMs: sweepGraceMs,
  });
}
