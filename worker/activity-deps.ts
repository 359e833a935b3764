/** Builds the dependencies of all activities from the worker's configuration and open resources. */
import os from 'node:os';
import type { ActivityDeps } from '../activities/index.ts';
import { createEventRenderer } from '../activities/video-webhook-event.ts';
import { renderExpiry } from '../contract/catalog/expiring-event.ts';
import { renderBudgetEvent } from '../contract/ledger/budget-event.ts';
import { renderRemovalsHeld } from '../contract/directory/removals-held-event.ts';
import type { Handle } from '../db/postgres/connection.ts';
import { createSweepStore } from '../db/videos/sweep-store.ts';
import { webhookScheduleOf } from '../domain/runs.ts';
import { shardOfProcess } from '../domain/shard.ts';
import type { Config } from '../platform/config.ts';
import type { Encryption } from '../platform/encryption.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { ObjectStore } from '../platform/object-store.ts';
import type { OutboundGuard } from '../platform/outbound-guard.ts';
import type { Nudger } from '../services/broadcast/nudger.ts';
import { createSourceOpener } from '../services/directory/sources/open-source.ts';
import { createCallbackTokens, createCallbackUrl } from '../services/videos/callbacks/callback-url.ts';
import { createStartPace } from '../services/videos/start-pace.ts';
import type { SweepDeps } from '../services/sweep/sweep.ts';
import type { BodyLog } from '../services/ledger/bodies/body-log.ts';
import { createGoneEndpointStore } from '../db/catalog/gone-endpoint-store.ts';
import { createGoneModels } from '../services/routing/gone-models.ts';
import { createAttemptMetrics } from '../services/routing/attempt-metrics.ts';
import type { Catalog } from '../services/catalog/catalog.ts';
import type { OwnProviders } from '../services/endpoints/own-providers.ts';
import type { LiveProviders } from '../services/routing/live-providers.ts';
import { createOwnVideoAdapter, type JobAdapterDeps } from '../services/videos/job-adapter.ts';
import { createBillMetrics } from '../services/ledger/bill-metrics.ts';
import type { SettleDeps } from '../services/videos/settle-job.ts';
import type { RunStarter } from '../services/runs/run-starter.ts';
import { PUMP_TIMES, pumpDeps } from './pump-deps.ts';
import { shareSlots } from './slots.ts';
import type { WorkerTimes } from './worker-times.ts';

/** The margin between the last status check and the deadline, in multiples of the shortest poll interval. */
const DEADLINE_MARGIN_FLOORS = 2;

export interface WorkerParts {
  knex: Handle;
  /** Connections for directory syncs, whose statements may take minutes. */
  directoryKnex: Handle;
  modelStatistics: SweepDeps['modelStatistics'];
  catalog: Catalog;
  providers: LiveProviders;
  ownProviders: OwnProviders;
  guard: OutboundGuard;
  objectStore: ObjectStore;
  encryption: Encryption;
  bodies: BodyLog;
  runs: RunStarter;
  nudger: Nudger;
  metrics: Metrics;
  logger: Logger;
  times: WorkerTimes;
}

/** Collects the parts and settings that each kind of activity works with. */
export function activityDeps(config: Config, parts: WorkerParts): ActivityDeps {
  const { knex, catalog, providers, guard, encryption, bodies, runs, logger, times } = parts;
  const { jobs, webhooks } = config;
  const webhookSchedule = webhookScheduleOf(webhooks.scheduleSeconds);
  const settle = {
    knex,
    logger,
    flagged: createBillMetrics(parts.metrics),
    outputRetentionMs: jobs.outputRetentionMs,
    shard: shardOfProcess(os.hostname(), process.pid),
    bodies,
    onLogged: parts.nudger.noteLogged,
    renderEvent: createEventRenderer(config.http.publicUrl),
  };
  const videoAdapter = (slug: string) => providers.videoAdapter(slug);
  const ownVideoAdapter = createOwnVideoAdapter(knex, parts.ownProviders);
  const pace = createStartPace({ store: createSweepStore(knex), slowClaimMs: jobs.slowClaimMs });
  return {
    video: videoDeps(config, parts, { ...settle, videoAdapter, ownVideoAdapter, webhookSchedule }),
    webhooks: { knex, guard, encryption, timeoutMs: webhooks.timeoutMs },
    broadcast: { pump: pumpDeps(parts), times: PUMP_TIMES },
    validations: { knex, catalog, guard, ownProviders: parts.ownProviders },
    directory: {
      knex: parts.directoryKnex,
      openSource: createSourceOpener({ guard, encryption }),
      renderRemovalsHeld,
      logger,
    },
    sweeping: {
      sweep: {
        knex,
        modelStatistics: parts.modelStatistics,
        runs,
        pace,
        settle,
        cancel: { knex, videoAdapter, ownVideoAdapter },
        logger,
        renderAlert: renderBudgetEvent,
        renderExpiry,
        webhookSchedule,
        graceMs: times.sweepGraceMs,
        unclaimedAfterMs: times.unclaimedAfterMs,
        overdueAfterMs: times.overdueAfterMs,
      },
      intervalMs: times.sweepIntervalMs,
    },
    maintenance: maintenanceDeps(config, parts),
    slots: shareSlots(parts.metrics),
  };
}

type SharedVideoDeps = SettleDeps & JobAdapterDeps & Pick<ActivityDeps['video'], 'webhookSchedule'>;

function videoDeps(config: Config, parts: WorkerParts, shared: SharedVideoDeps): ActivityDeps['video'] {
  const { catalog, objectStore, encryption, metrics, logger } = parts;
  const { jobs } = config;
  return {
    ...shared,
    catalog,
    objectStore,
    logger,
    attempts: createAttemptMetrics(metrics, catalog),
    goneModels: createGoneModels({ store: createGoneEndpointStore(parts.knex), logger }),
    callbackUrl: createCallbackUrl({
      publicUrl: config.http.publicUrl,
      isProduction: config.environment === 'production',
      tokens: createCallbackTokens(encryption.deriveKey('provider callbacks')),
    }),
    maxOutputBytes: jobs.maxOutputBytes,
    submitTimeoutMs: jobs.submitTimeoutMs,
    shortestRetryMs: jobs.pollFloorMs,
    longestRetryMs: jobs.pollCeilingMs,
    pollPace: {
      shortestMs: jobs.pollFloorMs,
      longestMs: jobs.pollCeilingMs,
      deadlineMarginMs: DEADLINE_MARGIN_FLOORS * jobs.pollFloorMs,
    },
    timeouts: { checkMs: jobs.checkTimeoutMs, storeMs: jobs.storeTimeoutMs },
  };
}

function maintenanceDeps(config: Config, parts: WorkerParts): ActivityDeps['maintenance'] {
  const { knex, objectStore, logger } = parts;
  const { jobs } = config;
  return {
    expire: { knex, objectStore, logger, storeTimeoutMs: jobs.storeTimeoutMs },
    bodies: { knex, objectStore, logger },
    broadcast: { knex, logger },
    partitions: { url: config.database.listenUrl, retentionMs: config.ledger.retentionMs, logger },
    retention: {
      knex,
      // A job is deleted only after its generation, so an earlier search would find nothing to delete.
      jobsMs: Math.max(jobs.retentionMs, config.ledger.retentionMs),
      auditMs: config.auditRetentionMs,
    },
    rankings: { url: config.database.listenUrl, logger },
  };
}
