/** Continues directory syncs whose workflow was lost. */
import type { Handle } from '../../../db/postgres/connection.ts';
import { createJobStore, type NewSyncJob } from '../../../db/directory/job-store.ts';
import { lockDirectory } from '../../../db/accounts/lock-directory.ts';
import { createSourceStore } from '../../../db/directory/source-store.ts';
import { createSyncSweepStore, type OpenJob } from '../../../db/directory/sync-sweep-store.ts';
import { MAX_RESTARTS } from '../../../domain/directory/limits.ts';
import type { SyncFailure, SyncTrigger } from '../../../domain/directory/job.ts';
import { directoryWorkflowId } from '../../../domain/runs.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { RunStarter } from '../../runs/run-starter.ts';
import { scheduledJob, startSync } from './begin-sync.ts';
import { endJob } from './end-sync.ts';

export interface SweepSyncsDeps {
  knex: Handle;
  runs: Pick<RunStarter, 'startDirectorySync' | 'describe'>;
  logger: Logger;
  /** The age below which jobs are still handled by the process that began them. */
  graceMs: number;
  /** The time without an update from a run after which the sweep asks Temporal about the run. */
  unclaimedAfterMs: number;
}

export interface SweepLimits {
  limitMs: number;
  signal?: AbortSignal | undefined;
}

const PAGE = 50;

/**
 * Begins jobs for due sources and for pushed people that wait for a run, starts jobs that were not started, and
 * replaces lost runs. Returns the number of handled jobs. A job that fails does not stop the others.
 */
export async function sweepSyncs(deps: SweepSyncsDeps, limits: SweepLimits): Promise<number> {
  const store = createSyncSweepStore(deps.knex);
  const untilMs = Date.now() + limits.limitMs;
  let handled = 0;
  const handleEach = async <Row extends { id: string }>(
    rows: Promise<Row[]>,
    handle: (deps: SweepSyncsDeps, row: Row) => Promise<boolean>,
  ): Promise<void> => {
    for (const row of await rows) {
      if (Date.now() > untilMs || limits.signal?.aborted === true) return;
      try {
        if (await handle(deps, row)) handled += 1;
      } catch (error) {
        deps.logger.error({ err: error, id: row.id }, 'a sync was not swept; the next sweep tries again');
      }
    }
  };
  await handleEach(store.due(PAGE), beginDue);
  await handleEach(store.pending(PAGE), beginPending);
  await handleEach(store.silentFor(deps.unclaimedAfterMs, PAGE), replaceLost);
  await handleEach(store.undispatched(deps.graceMs, PAGE), start);
  return handled;
}

/**
 * Begins a job that is due. The schedule advances in the same transaction, so that an outage of Temporal loses no
 * interval and repeats none.
 */
async function beginDue(deps: SweepSyncsDeps, { id: organizationId }: { id: string }): Promise<boolean> {
  const job = await deps.knex.transaction(async (transaction) => {
    const store = createSyncSweepStore(transaction);
    if (!(await store.moveDue(organizationId))) return undefined;
    const source = await createSourceStore(transaction).find(organizationId);
    const started = await createJobStore(transaction).begin(scheduledJob(source));
    if (started.isNew) return started.job;
    await store.makeDueSoon(organizationId);
    return undefined;
  });
  if (job !== undefined) await startSync(deps.knex, deps.runs, job);
  return job !== undefined;
}

async function beginPending(
  deps: SweepSyncsDeps,
  { id: organizationId, trigger }: { id: string; trigger: SyncTrigger },
): Promise<boolean> {
  const { type } = await createSourceStore(deps.knex).find(organizationId);
  const flags = { dryRun: false, allowDeletions: false, isFull: false };
  const draft: NewSyncJob = { organizationId, source: type, trigger, ...flags };
  const { job, isNew } = await createJobStore(deps.knex).begin(draft);
  if (isNew) await startSync(deps.knex, deps.runs, job);
  return isNew;
}

async function start(deps: SweepSyncsDeps, job: OpenJob): Promise<boolean> {
  await startSync(deps.knex, deps.runs, job);
  return true;
}

/**
 * Starts a new run for a job whose run does not exist any more. Ends the job when it has no time left or has lost too
 * many runs.
 */
async function replaceLost(deps: SweepSyncsDeps, job: OpenJob): Promise<boolean> {
  const { knex, runs, logger } = deps;
  if ((await runs.describe(directoryWorkflowId(job.organizationId))) === 'running') {
    await createJobStore(knex).noteRun(job.id);
    return false;
  }
  logger.warn({ jobId: job.id }, 'the run of a directory sync no longer exists');
  if (job.hasRunOut) return end(deps, job, 'timed_out');
  if (job.restarts >= MAX_RESTARTS) return end(deps, job, 'internal');
  await createSyncSweepStore(knex).release(job.id);
  await startSync(knex, runs, job);
  return true;
}

function end({ knex }: SweepSyncsDeps, job: OpenJob, reason: SyncFailure): Promise<boolean> {
  return knex.transaction(async (transaction) => {
    await lockDirectory(transaction, job.organizationId);
    return (await endJob(transaction, job, { state: 'failed', reason })) !== null;
  });
}
