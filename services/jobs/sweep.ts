import { createSweepStore, type OverdueJob, type StartableJob } from '../../db/sweep-store.ts';
import { createWebhookStore } from '../../db/webhook-store.ts';
import type { Handle } from '../../db/connection.ts';
import { videoWorkflowId, type WebhookSchedule } from '../../domain/runs.ts';
import type { Logger } from '../../platform/logger.ts';
import type { RunStarter } from '../runs/run-starter.ts';
import { settleJob, type SettleDeps } from './settle-job.ts';
import type { StartPace } from './start-pace.ts';

export interface SweepDeps {
  knex: Handle;
  runs: RunStarter;
  pace: StartPace;
  settle: SettleDeps;
  logger: Logger;
  webhookSchedule: WebhookSchedule;
  /** Younger rows are still in the hands of whoever wrote them. */
  graceMs: number;
  unclaimedAfterMs: number;
  overdueAfterMs: number;
}

export interface SweepReport {
  started: number;
  settled: number;
  webhooks: number;
  released: number;
}

const PAGE = 200;

/** Finds what was promised and lost its way: each of four questions in one bounded page (design: §7). */
export async function sweep(deps: SweepDeps): Promise<SweepReport> {
  const store = createSweepStore(deps.knex);
  const report: SweepReport = { started: 0, settled: 0, webhooks: 0, released: 0 };
  for (const job of await store.undispatched(deps.graceMs, PAGE)) {
    await deps.pace.take();
    await deps.runs.startVideo(job);
    await store.markDispatched(job.id);
    report.started += 1;
  }
  for (const job of await store.overdue(deps.overdueAfterMs, PAGE)) {
    if (await settleIfLost(deps, job)) report.settled += 1;
  }
  report.webhooks = await startWebhooks(deps);
  for (const job of await store.unclaimed(deps.unclaimedAfterMs, PAGE)) {
    if (await releaseIfLost(deps, job)) report.released += 1;
  }
  return report;
}

/** (b) A job past its deadline whose run is gone: it ends unbilled, with its webhook. */
async function settleIfLost(deps: SweepDeps, job: OverdueJob): Promise<boolean> {
  if ((await deps.runs.describe(videoWorkflowId(job.id))) === 'running') return false;
  deps.logger.warn({ jobId: job.id }, 'job past its deadline without a run; settled by the sweep');
  const settled = await settleJob(deps.settle, job.id, { status: 'expired', code: 'deadline_exceeded' });
  return settled.first;
}

async function startWebhooks(deps: SweepDeps): Promise<number> {
  const webhooks = createWebhookStore(deps.knex);
  const deliveries = await webhooks.undispatched(deps.graceMs, PAGE);
  for (const delivery of deliveries) {
    await deps.pace.take();
    await deps.runs.startWebhook({
      deliveryId: delivery.id,
      workspaceId: delivery.workspaceId,
      jobId: delivery.jobId,
      replay: delivery.replays,
      schedule: deps.webhookSchedule,
    });
    await webhooks.markDispatched(delivery.id);
  }
  return deliveries.length;
}

/** (d) Started, never claimed: if Temporal does not know the run, question (a) starts it again. */
async function releaseIfLost(deps: SweepDeps, job: StartableJob): Promise<boolean> {
  if ((await deps.runs.describe(videoWorkflowId(job.id))) === 'running') return false;
  await createSweepStore(deps.knex).release(job.id);
  return true;
}
