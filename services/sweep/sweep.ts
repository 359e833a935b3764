/** Repairs jobs, webhooks, alerts, destinations and directory syncs whose processing was lost or is due. */
import {
  createFailingCallbackStore,
  type FailingCallback,
} from '../../db/webhooks/failing-callback-store.ts';
import { createLeftoverStore, type Leftover } from '../../db/videos/leftover-store.ts';
import { createSweepStore, type OverdueJob, type StartableJob } from '../../db/videos/sweep-store.ts';
import { createWakeStore } from '../../db/broadcast/wake-store.ts';
import { createWebhookStore, type WebhookDelivery } from '../../db/webhooks/webhook-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { videoWorkflowId, type WebhookSchedule, webhookWorkflowId } from '../../domain/runs.ts';
import type { Logger } from '../../platform/logger.ts';
import { wakeLostDestinations } from '../broadcast/wake-lost.ts';
import type { WriteAlertDeps } from '../ledger/budget-alerts/write-alert.ts';
import { scanLimits } from '../ledger/budget-alerts/scan-limits.ts';
import { announceExpiry, type AnnounceExpiryDeps } from '../catalog/expiry/announce-expiry.ts';
import type { ModelStatisticsFiller } from '../catalog/statistics/model-statistics-filler.ts';
import { sweepSyncs } from '../directory/sync/sweep-syncs.ts';
import type { RunStarter } from '../runs/run-starter.ts';
import { reportFailingCallback } from '../webhooks/report-failing-callback.ts';
import { startDelivery } from '../webhooks/start-delivery.ts';
import type { CancelDeps } from '../videos/cancel-upstream.ts';
import { settleJob, type SettleDeps } from '../videos/settle-job.ts';
import type { StartPace } from '../videos/start-pace.ts';
import { createUpstreamStopper, type UpstreamStopper } from '../videos/upstream-stopper.ts';
import { BUDGET_MS, handleEach, type Work } from './handle-each.ts';

export interface SweepDeps {
  knex: Handle;
  /** Each sweep wakes it. It ensures without a workflow that only one worker at a time reads statistics. */
  modelStatistics: Pick<ModelStatisticsFiller, 'wake'>;
  runs: RunStarter;
  pace: StartPace;
  settle: SettleDeps;
  cancel: CancelDeps;
  logger: Logger;
  renderAlert: WriteAlertDeps['renderAlert'];
  renderExpiry: AnnounceExpiryDeps['renderExpiry'];
  webhookSchedule: WebhookSchedule;
  /** The age below which rows are left alone, because the process that wrote them may still act on them. */
  graceMs: number;
  /** The time without a sign of life after which the sweep asks Temporal about a run. */
  unclaimedAfterMs: number;
  overdueAfterMs: number;
}

export const NOTHING_SWEPT = {
  started: 0,
  settled: 0,
  webhooks: 0,
  released: 0,
  adopted: 0,
  requeued: 0,
  stopped: 0,
  reported: 0,
  alerts: 0,
  expiring: 0,
  destinations: 0,
  syncs: 0,
};

export type SweepReport = typeof NOTHING_SWEPT;

const PAGE = 200;
/** The page of leftovers is small, because each one causes a request to its provider. */
const LEFTOVERS_PAGE = 50;
/** The longest wait until a run may be started. The sweep's other questions wait meanwhile. */
const MAX_WAIT_MS = 1_000;

/**
 * Finds committed work that was lost, and continues it. Each question reads one page of limited size. A row that fails
 * does not block the others. Questions about different work are asked at the same time, so that a slow one delays no
 * other, even if workers never live long enough to answer all. Ends after the current rows when the signal aborts.
 */
export async function sweep(deps: SweepDeps, signal?: AbortSignal): Promise<SweepReport> {
  // The statistics are read in the background; the sweep does not wait for them.
  deps.modelStatistics.wake();
  const parts: Promise<Partial<SweepReport>>[] = [
    sweepJobs(deps, signal),
    sweepDeliveries(deps, signal),
    signal?.aborted === true
      ? Promise.resolve({})
      : scanLimits(deps, { limitMs: BUDGET_MS, signal }).then((alerts) => ({ alerts })),
    announceExpiry(deps, { limitMs: BUDGET_MS, signal }).then((expiring) => ({ expiring })),
    wakeLostDestinations({ ...deps, store: createWakeStore(deps.knex) }, { limitMs: BUDGET_MS, signal }).then(
      (destinations) => ({ destinations }),
    ),
    sweepSyncs(deps, { limitMs: BUDGET_MS, signal }).then((syncs) => ({ syncs })),
  ];
  await Promise.allSettled(parts);
  return Object.assign({ ...NOTHING_SWEPT }, ...(await Promise.all(parts))) as SweepReport;
}

/** Continues jobs that were lost, and asks providers again to stop. */
async function sweepJobs(deps: SweepDeps, signal: AbortSignal | undefined): Promise<Partial<SweepReport>> {
  const jobs = createSweepStore(deps.knex);
  const leftovers = createLeftoverStore(deps.knex);
  const stopper = createUpstreamStopper(deps);
  const settle: Work<SweepDeps, OverdueJob> = (_, job) => settleIfLost(deps, job, stopper);
  const stopLeftover: Work<SweepDeps, Leftover> = (_, leftover) => stopper.stopLeftover(leftover);
  const { graceMs, unclaimedAfterMs, overdueAfterMs } = deps;
  return {
    started: await handleEach(deps, () => jobs.undispatched(graceMs, PAGE), start, signal),
    settled: await handleEach(deps, () => jobs.overdue(overdueAfterMs, PAGE), settle, signal),
    released: await handleEach(deps, () => jobs.unclaimed(unclaimedAfterMs, PAGE), releaseIfLost, signal),
    adopted: await handleEach(deps, () => jobs.silentFor(unclaimedAfterMs, PAGE), adoptIfLost, signal),
    stopped: await handleEach(deps, () => leftovers.takeDue(LEFTOVERS_PAGE), stopLeftover, signal),
  };
}

/** Continues deliveries of webhooks that were lost, and reports callback URLs that fail for days. */
async function sweepDeliveries(
  deps: SweepDeps,
  signal: AbortSignal | undefined,
): Promise<Partial<SweepReport>> {
  const webhooks = createWebhookStore(deps.knex);
  const failing = createFailingCallbackStore(deps.knex);
  const report: Work<SweepDeps, FailingCallback> = (_, callback) =>
    reportFailingCallback(deps.knex, callback);
  const { graceMs, unclaimedAfterMs } = deps;
  return {
    webhooks: await handleEach(deps, () => webhooks.undispatched(graceMs, PAGE), startWebhook, signal),
    requeued: await handleEach(deps, () => webhooks.silentFor(unclaimedAfterMs, PAGE), requeueIfLost, signal),
    reported: await handleEach(deps, () => failing.unreported(PAGE), report, signal),
  };
}

/** Waits until a run of the organization may be started, for a second at most. */
async function mayStart(
  { pace }: SweepDeps,
  { organizationId }: { organizationId: string },
): Promise<boolean> {
  return (await pace.take(() => [organizationId], MAX_WAIT_MS)) !== undefined;
}

/** Starts the run of a job that was accepted and never handed to Temporal. */
async function start(deps: SweepDeps, job: StartableJob): Promise<boolean | 'later'> {
  if (!(await mayStart(deps, job))) return 'later';
  const store = createSweepStore(deps.knex);
  // The API's starter may have started the job meanwhile.
  if (!(await store.isUndispatched(job.id))) return false;
  await deps.runs.startVideo(job);
  await store.markDispatched([job.id]);
  return true;
}

/**
 * Settles a job past its deadline whose run no longer exists. The job ends unbilled, sends its webhook, and is
 * cancelled at its provider.
 */
async function settleIfLost(deps: SweepDeps, job: OverdueJob, { stop }: UpstreamStopper): Promise<boolean> {
  if ((await deps.runs.describe(videoWorkflowId(job.id))) === 'running') return false;
  deps.logger.warn({ jobId: job.id }, 'job past its deadline without a run; settled by the sweep');
  await stop(job);
  const settled = await settleJob(deps.settle, job.id, { status: 'expired', code: 'deadline_exceeded' });
  return settled.first;
}

/** Starts the run of an outbox row that no run has taken. */
async function startWebhook(deps: SweepDeps, delivery: WebhookDelivery): Promise<boolean | 'later'> {
  if (!(await mayStart(deps, delivery))) return 'later';
  await startDelivery({ ...deps, schedule: deps.webhookSchedule }, delivery);
  return true;
}

/**
 * Releases a job that was started and never claimed, if Temporal has no run of it. `undispatched` then finds the job,
 * and `start` starts it again.
 */
async function releaseIfLost(deps: SweepDeps, job: StartableJob): Promise<boolean> {
  if ((await deps.runs.describe(videoWorkflowId(job.id))) === 'running') return false;
  await createSweepStore(deps.knex).release(job.id);
  return true;
}

/** Starts a new run for a job whose run no longer exists. The new run continues from the accepted submission. */
async function adoptIfLost(deps: SweepDeps, job: StartableJob): Promise<boolean | 'later'> {
  const store = createSweepStore(deps.knex);
  if ((await deps.runs.describe(videoWorkflowId(job.id))) === 'running') {
    await store.noteRun(job.id);
    return false;
  }
  if (!(await mayStart(deps, job))) return 'later';
  deps.logger.warn({ jobId: job.id }, 'the run of an open job no longer exists; a new run continues the job');
  await store.releaseLost(job.id);
  await deps.runs.startVideo(job);
  return true;
}

/** Requeues a delivery whose run no longer exists. `startWebhook` starts it again, numbered as a replay. */
async function requeueIfLost(deps: SweepDeps, delivery: WebhookDelivery): Promise<boolean> {
  const store = createWebhookStore(deps.knex);
  const workflowId = webhookWorkflowId(delivery.id, delivery.replays);
  if ((await deps.runs.describe(workflowId)) === 'running') {
    await store.noteRun(delivery.id);
    return false;
  }
  return store.requeue(delivery.id, delivery.replays);
}
