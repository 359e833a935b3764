/** Repairs jobs, webhooks, budget alerts, destinations and directory syncs whose processing was lost. */
import {
  createFailingCallbackStore,
  type FailingCallback,
} from '../../db/webhooks/failing-callback-store.ts';
import { createLeftoverStore, type Leftover } from '../../db/videos/leftover-store.ts';
import { createSweepStore, type OverdueJob, type StartableJob } from '../../db/videos/sweep-store.ts';
import { createWakeStore } from '../../db/broadcast/wake-store.ts';
import { createWebhookStore, type WebhookDelivery } from '../../db/webhooks/webhook-store.ts';
import type { Handle } from '../../db/connection.ts';
import { videoWorkflowId, type WebhookSchedule, webhookWorkflowId } from '../../domain/runs.ts';
import type { Logger } from '../../platform/logger.ts';
import { wakeLostDestinations } from '../broadcast/wake-lost.ts';
import type { WriteAlertDeps } from '../ledger/budget-alerts/write-alert.ts';
import { scanLimits } from '../ledger/budget-alerts/scan-limits.ts';
import type { ModelStatisticsFiller } from '../catalog/statistics/model-statistics-filler.ts';
import { sweepSyncs } from '../directory/sync/sweep-syncs.ts';
import type { RunStarter } from '../runs/run-starter.ts';
import { reportFailingCallback } from '../webhooks/report-failing-callback.ts';
import { startDelivery } from '../webhooks/start-delivery.ts';
import type { CancelDeps } from '../videos/cancel-upstream.ts';
import { settleJob, type SettleDeps } from '../videos/settle-job.ts';
import type { StartPace } from '../videos/start-pace.ts';
import { createUpstreamStopper, type UpstreamStopper } from '../videos/upstream-stopper.ts';

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
  webhookSchedule: WebhookSchedule;
  /** The age below which rows are left alone, because the process that wrote them may still act on them. */
  graceMs: number;
  /** The time without a sign of life after which the sweep asks Temporal about a run. */
  unclaimedAfterMs: number;
  overdueAfterMs: number;
}

export interface SweepReport {
  started: number;
  settled: number;
  webhooks: number;
  released: number;
  adopted: number;
  requeued: number;
  stopped: number;
  reported: number;
  alerts: number;
  destinations: number;
  syncs: number;
}

export const NOTHING_SWEPT: SweepReport = {
  started: 0,
  settled: 0,
  webhooks: 0,
  released: 0,
  adopted: 0,
  requeued: 0,
  stopped: 0,
  reported: 0,
  alerts: 0,
  destinations: 0,
  syncs: 0,
};

const PAGE = 200;
/** The page of leftovers is small, because each one causes a request to its provider. */
const LEFTOVERS_PAGE = 50;
/** The longest wait until a run may be started. The sweep's other questions wait meanwhile. */
const MAX_WAIT_MS = 1_000;
/** The part of the sweep's two minutes (activities/sweep-activities.ts) that one question may take. */
const BUDGET_MS = 10_000;

/**
 * Finds committed work that was lost, and continues it. Each question reads one page of limited size. A row that fails
 * does not block the others. Ends after the current row when the signal aborts.
 */
export async function sweep(deps: SweepDeps, signal?: AbortSignal): Promise<SweepReport> {
  // The statistics are read in the background; the sweep does not wait for them.
  deps.modelStatistics.wake();
  const jobs = createSweepStore(deps.knex);
  const webhooks = createWebhookStore(deps.knex);
  const leftovers = createLeftoverStore(deps.knex);
  const failing = createFailingCallbackStore(deps.knex);
  const stopper = createUpstreamStopper(deps);
  const settle: Work<OverdueJob> = (_, job) => settleIfLost(deps, job, stopper);
  const stopLeftover: Work<Leftover> = (_, leftover) => stopper.stopLeftover(leftover);
  const { graceMs, unclaimedAfterMs, overdueAfterMs } = deps;
  const handle = async <T extends SweptRow>(page: () => Promise<T[]>, work: Work<T>): Promise<number> =>
    signal?.aborted === true ? 0 : handleEach(deps, await page(), work, signal);
  return {
    started: await handle(() => jobs.undispatched(graceMs, PAGE), start),
    settled: await handle(() => jobs.overdue(overdueAfterMs, PAGE), settle),
    webhooks: await handle(() => webhooks.undispatched(graceMs, PAGE), startWebhook),
    released: await handle(() => jobs.unclaimed(unclaimedAfterMs, PAGE), releaseIfLost),
    adopted: await handle(() => jobs.silentFor(unclaimedAfterMs, PAGE), adoptIfLost),
    requeued: await handle(() => webhooks.silentFor(unclaimedAfterMs, PAGE), requeueIfLost),
    stopped: await handle(() => leftovers.takeDue(LEFTOVERS_PAGE), stopLeftover),
    reported: await handle(() => failing.unreported(PAGE), reportFailing),
    alerts: signal?.aborted === true ? 0 : await scanLimits(deps, { limitMs: BUDGET_MS, signal }),
    destinations: await wakeLostDestinations(
      { ...deps, store: createWakeStore(deps.knex) },
      { limitMs: BUDGET_MS, signal },
    ),
    syncs: await sweepSyncs(deps, { limitMs: BUDGET_MS, signal }),
  };
}

/** A row of a page. Rows with an organization may have to wait for those of others. */
interface SweptRow {
  id: string;
  organizationId?: string;
}

/**
 * Handles one row. `later` means that no more runs of the row's organization can be started now, so its other rows wait
 * for the next sweep.
 */
type Work<T> = (deps: SweepDeps, row: T) => Promise<boolean | 'later'>;

/** Handles each row of a page. Returns the number of rows that it changed. */
async function handleEach<T extends SweptRow>(
  deps: SweepDeps,
  rows: T[],
  work: Work<T>,
  signal: AbortSignal | undefined,
): Promise<number> {
  let changed = 0;
  const untilMs = Date.now() + BUDGET_MS;
  const postponed = new Set<string | undefined>();
  for (const row of rows) {
    if (Date.now() > untilMs || signal?.aborted === true) break;
    if (postponed.has(row.organizationId)) continue;
    try {
      const result = await work(deps, row);
      if (result === 'later') postponed.add(row.organizationId);
      else if (result) changed += 1;
    } catch (error) {
      deps.logger.error({ err: error, id: row.id }, 'not swept; the next sweep tries again');
    }
  }
  return changed;
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

/** Reports a callback URL that has failed for days, in the audit log of its organization. */
function reportFailing(deps: SweepDeps, callback: FailingCallback): Promise<boolean> {
  return reportFailingCallback(deps.knex, callback);
}
