/** Implements the steps of a directory sync as Temporal activities. */
import { ApplicationFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import { isOutage } from '../db/postgres/outage.ts';
import type { SyncFailure } from '../domain/directory/job.ts';
import { applyDirectory } from '../services/directory/sync/apply-directory.ts';
import { type ClaimResult, claimSync } from '../services/directory/sync/begin-sync.ts';
import { compareDirectory } from '../services/directory/sync/compare-directory.ts';
import type { CompareResult, RunRef, Slice, SyncDeps } from '../services/directory/sync/sync-deps.ts';
import { failSync, finishSync } from '../services/directory/sync/end-sync.ts';
import { RunIsOverError } from '../services/directory/sync/job-step.ts';
import { readSource, type SliceResult } from '../services/directory/sync/read-source.ts';
import type { StopSignals } from './stop-signals.ts';

/** The result of an activity whose run has lost its job, or whose job has ended. The run ends then. */
export interface RunOver {
  kind: 'over';
}

/** The number of attempts of an activity that fails for another reason than an outage of Postgres. */
const ATTEMPTS = 10;

/**
 * Creates the activities of a sync. They pass ids, counts and fixed messages; people and groups stay in Postgres.
 * Each activity continues where the last one of its run stopped, and does nothing in a run that has lost its job.
 */
export function createDirectoryActivities(deps: SyncDeps, stop: StopSignals) {
  const sliceOf = (sliceMs: number): Slice => {
    const { cancellationSignal } = Context.current();
    return {
      untilMs: Date.now() + sliceMs,
      stopRequested: AbortSignal.any([stop.requested, cancellationSignal]),
      cut: AbortSignal.any([stop.graceOver, cancellationSignal]),
    };
  };
  return {
    /** Takes the job for this run. */
    claimSync: (jobId: string): Promise<ClaimResult | RunOver> =>
      bounded(() => claimSync(deps.knex, refOf(jobId))),

    /** Reads the source for about `sliceMs`. */
    readDirectorySource: (jobId: string, sliceMs: number): Promise<SliceResult | RunOver> =>
      bounded(() => readSource(deps, refOf(jobId), sliceOf(sliceMs))),

    /** Compares the directory that was read with the members, and plans the changes. */
    compareDirectory: (jobId: string): Promise<CompareResult | RunOver> =>
      bounded(() => compareDirectory(deps, refOf(jobId))),

    /** Applies planned changes for about `sliceMs`. */
    applyDirectory: (jobId: string, sliceMs: number): Promise<SliceResult | RunOver> =>
      bounded(() => applyDirectory(deps, refOf(jobId), sliceOf(sliceMs))),

    /** Ends the job as succeeded. */
    finishSync: (jobId: string): Promise<void | RunOver> => bounded(() => finishSync(deps, refOf(jobId))),

    /** Ends the job as failed, unless it has ended. */
    failSync: (jobId: string, reason: SyncFailure): Promise<void> =>
      failSync(deps.knex, refOf(jobId), reason),
  };
}

export type DirectoryActivities = ReturnType<typeof createDirectoryActivities>;

function refOf(jobId: string): RunRef {
  const { runId } = Context.current().info.workflowExecution ?? {};
  if (runId === undefined) throw new Error('a sync runs inside a workflow');
  return { jobId, runId };
}

/**
 * Turns the loss of the job into a result. Stops retrying after `ATTEMPTS`, unless the failure is an outage of
 * Postgres.
 */
async function bounded<Result>(work: () => Promise<Result>): Promise<Result | RunOver> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RunIsOverError) return { kind: 'over' };
    if (isOutage(error) || !(error instanceof Error) || Context.current().info.attempt < ATTEMPTS)
      throw error;
    throw ApplicationFailure.nonRetryable(error.message, error.name);
  }
}
