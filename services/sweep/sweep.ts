import {
  createFailingCallbackStore,
  type FailingCallback,
} from '../../db/accounts/failing-callback-store.ts';
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
  /** Woken by each sweep: what it reads is read by one worker at a time, without runs of its own. */
  modelStatistics: Pick<ModelStatisticsFiller, 'wake'>;
  runs: RunStarter;
  pace: StartPace;
  settle: SettleDeps;
  cancel: CancelDeps;
  logger: Logger;
  renderAlert: WriteAlertDeps['renderAlert'];
  webhookSchedule: WebhookSchedule;
  /** Younger rows are still in the hands of whoever wrote them. */
  graceMs: number;
  /** How long a start may be without a sign of life before Temporal is asked about it. */
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
/** Each of these is asked at its provider. */
const LEFTOVERS_PAGE = 50;
/** The other questions wait for this one. */
const MAX_WAIT_MS = 1_000;
/** What one question may take of the sweep's two minutes (activities/sweep-activities.ts). */
const BUDGET_MS = 10_000;

/**
 * Finds what was promised and lost its way: each question in one bounded page (design: §7). One row that
 * cannot be helped does not keep the others from it. Ends after the row at hand when the signal aborts.
 */
export async function sweep(deps: SweepDeps, signal?: AbortSignal): Promise<SweepReport> {
  // In the background, however long it takes.
  deps.modelStatistics.wake();
  const jobs = createSweepStore(deps.knex);
  const webhooks = createWebhookStore(deps.knex);
  const leftovers = createLeftoverStore(deps.knex);
  const failing = createFailingCallbackStore(deps.knex);
  const stopper = createUpstreamStopper(deps);
  const settle: Work<OverdueJob> = (_, job) => settleIfLost(deps, job, stopper);
  const stopLeftover: Work<Leftover> = (_, leftover) => stopper.stopLeftover(leftover);
  const { graceMs, unclaimedAfterMs, overdueAfterMs } = deps;
  const help = async <T extends { id: string }>(page: () => Promise<T[]>, work: Work<T>): Promise<number> =>
    signal?.aborted === true ? 0 : helpEach(deps, await page(), work, signal);
  return {
    started: await help(() => jobs.undispatched(graceMs, PAGE), start),
    settled: await help(() => jobs.overdue(overdueAfterMs, PAGE), settle),
    webhooks: await help(() => webhooks.undispatched(graceMs, PAGE), startWebhook),
    released: await help(() => jobs.unclaimed(unclaimedAfterMs, PAGE), releaseIfLost),
    adopted: await help(() => jobs.unheardOf(unclaimedAfterMs, PAGE), adoptIfLost),
    requeued: await help(() => webhooks.unheardOf(unclaimedAfterMs, PAGE), requeueIfLost),
    stopped: await help(() => leftovers.takeDue(LEFTOVERS_PAGE), stopLeftover),
    reported: await help(() => failing.unreported(PAGE), reportFailing),
    alerts: signal?.aborted === true ? 0 : await scanLimits(deps, { limitMs: BUDGET_MS, signal }),
    destinations: await wakeLostDestinations(
      { ...deps, store: createWakeStore(deps.knex) },
      { limitMs: BUDGET_MS, signal },
    ),
    syncs: await sweepSyncs(deps, { limitMs: BUDGET_MS, signal }),
  };
}

/** `later`: starts are not in order now; the page waits for the next sweep. */
type Work<T> = (deps: SweepDeps, row: T) => Promise<boolean | 'later'>;

/** How many were helped. */
async function helpEach<T extends { id: string }>(
  deps: SweepDeps,
  rows: T[],
  work: Work<T>,
  signal: AbortSignal | undefined,
): Promise<number> {
  let helped = 0;
  const untilMs = Date.now() + BUDGET_MS;
  for (const row of rows) {
    if (Date.now() > untilMs || signal?.aborted === true) break;
    try {
      const result = await work(deps, row);
      if (result === 'later') break;
      if (result) helped += 1;
    } catch (error) {
      deps.logger.error({ err: error, id: row.id }, 'not swept; the next sweep tries again');
    }
  }
  return helped;
}

/** (a) Accepted, and never handed to Temporal. */
async function start(deps: SweepDeps, job: StartableJob): Promise<boolean | 'later'> {
  if (!(await deps.pace.take(MAX_WAIT_MS))) return 'later';
  const store = createSweepStore(deps.knex);
  // The API's starter works on the same rows.
  if (!(await store.isUndispatched(job.id))) return false;
  await deps.runs.startVideo(job);
  await store.markDispatched([job.id]);
  return true;
}

/** (b) A job past its deadline whose run is gone: it ends unbilled, with its webhook, and the provider is told. */
async function settleIfLost(deps: SweepDeps, job: OverdueJob, { stop }: UpstreamStopper): Promise<boolean> {
  if ((await deps.runs.describe(videoWorkflowId(job.id))) === 'running') return false;
  deps.logger.warn({ jobId: job.id }, 'job past its deadline without a run; settled by the sweep');
  await stop(job);
  const settled = await settleJob(deps.settle, job.id, { status: 'expired', code: 'deadline_exceeded' });
  return settled.first;
}

/** (c) An outbox row that no run has taken. */
async function startWebhook(deps: SweepDeps, delivery: WebhookDelivery): Promise<boolean | 'later'> {
  if (!(await deps.pace.take(MAX_WAIT_MS))) return 'later';
  await startDelivery({ ...deps, schedule: deps.webhookSchedule }, delivery);
  return true;
}

/** (d) Started, never claimed: if Temporal does not know the run, question (a) starts it again. */
async function releaseIfLost(deps: SweepDeps, job: StartableJob): Promise<boolean> {
  if ((await deps.runs.describe(videoWorkflowId(job.id))) === 'running') return false;
  await createSweepStore(deps.knex).release(job.id);
  return true;
}

/** (e) Claimed by a run that is gone: a new one takes over, and goes on from the accepted submission. */
async function adoptIfLost(deps: SweepDeps, job: StartableJob): Promise<boolean | 'later'> {
  const store = createSweepStore(deps.knex);
  if ((await deps.runs.describe(videoWorkflowId(job.id))) === 'running') {
    await store.noteRun(job.id);
    return false;
  }
  if (!(await deps.pace.take(MAX_WAIT_MS))) return 'later';
  deps.logger.warn({ jobId: job.id }, 'the run of an open job is gone; a new one takes over');
  await store.disown(job.id);
  await deps.runs.startVideo(job);
  return true;
}

/** (f) A delivery whose run is gone: question (c) starts it again, numbered as a replay. */
async function requeueIfLost(deps: SweepDeps, delivery: WebhookDelivery): Promise<boolean> {
  const store = createWebhookStore(deps.knex);
  const workflowId = webhookWorkflowId(delivery.id, delivery.replays);
  if ((await deps.runs.describe(workflowId)) === 'running') {
    await store.noteRun(delivery.id);
    return false;
  }
  return store.requeue(delivery.id, delivery.replays);
}

/** (g) A callback URL that has failed for days: its organization is told in the audit log. */
function reportFailing(deps: SweepDeps, callback: FailingCallback): Promise<boolean> {
  return reportFailingCallback(deps.knex, callback);
}
