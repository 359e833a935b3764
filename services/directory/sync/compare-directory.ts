import type { Handle } from '../../../db/postgres/connection.ts';
import { createGroupSyncStore } from '../../../db/directory/group-sync-store.ts';
import { type ClaimedJob, createJobRunStore, type JobEnd } from '../../../db/directory/job-run-store.ts';
import { createMergeStore } from '../../../db/directory/merge-store.ts';
import { createPlanStore } from '../../../db/directory/plan-store.ts';
import { createStageStore } from '../../../db/directory/stage-store.ts';
import { isTooMany, type Removals } from '../../../domain/directory/guard.ts';
import type { SyncFailure, SyncJob } from '../../../domain/directory/job.ts';
import { enterStage, hasPlanned } from '../../../domain/directory/sync-cursor.ts';
import {
  countApproved,
  type Preview,
  previewChanges,
  type PreviewRequest,
  writePreview,
} from '../membership/preview.ts';
import { SourceError } from '../sources/source-reader.ts';
import { endJob } from './end-sync.ts';
import { failedBySource, readsSource } from './require-source.ts';
import { jobOf, makeLockedStep } from './job-step.ts';
import type { CompareResult, OwnedJob, RunRef, SyncDeps } from './sync-deps.ts';
import { refuseDoubleNames } from './merge-stage.ts';
import { planPushed, planWhole } from './plan-changes.ts';
import { scopeOf } from './plan-staged.ts';

/**
 * Compares the read or pushed people with the applied state, and decides how to go on. A guard stops the run, a dry run
 * ends with the difference, and any other run gets the plan of changes. The groups are stored with the plan. A retry
 * after the job has ended returns its outcome.
 */
export async function compareDirectory(deps: SyncDeps, ref: RunRef): Promise<CompareResult> {
  const ended = await createJobRunStore(deps.knex).findEnded(ref.jobId, ref.runId);
  if (ended !== null) return resultOf(ended);
  const claimed = await jobOf(deps.knex, ref);
  const { job, cursor } = claimed;
  if (hasPlanned(cursor)) {
    return { kind: 'apply', people: await createPlanStore(deps.knex).countPlanned(job.id) };
  }
  if (job.trigger === 'push' || job.trigger === 'mapping') return planPushed(deps, claimed);
  const request: PreviewRequest = {
    organizationId: job.organizationId,
    from: readsSource(claimed) ? { kind: 'staged', jobId: job.id } : { kind: 'stored' },
    includesHeld: endsHolding(claimed),
  };
  try {
    if (readsSource(claimed)) await refuseDoubleNames(deps.knex, job.id);
    await createMergeStore(deps.knex).analyzeStage();
    const preview = await previewChanges(deps.knex, request);
    const reason = await guardOf(deps.knex, claimed, request, preview);
    if (job.dryRun || reason !== undefined)
      return await endWithDifference(deps, claimed, request, preview, reason);
    return await planWhole(deps, claimed);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return failedBySource(deps, claimed, error);
  }
}

function resultOf({ errorReason }: SyncJob): CompareResult {
  if (errorReason === null) return { kind: 'ended' };
  const isStopped = errorReason === 'guard_empty' || errorReason === 'guard_deletions';
  return { kind: isStopped ? 'stopped' : 'failed', reason: errorReason };
}

/**
 * Returns whether this job may also remove held people: an administrator allows it, or the guard checks a complete
 * reading of the source.
 */
function endsHolding(claimed: ClaimedJob): boolean {
  return claimed.job.allowDeletions || (readsSource(claimed) && claimed.job.isFull);
}

/** Returns why the changes must not be applied; undefined when they may. */
async function guardOf(
  handle: Handle,
  claimed: ClaimedJob,
  request: PreviewRequest,
  preview: Preview,
): Promise<SyncFailure | undefined> {
  const { people, groups } = preview.removals;
  const { job, cursor } = claimed;
  if (job.allowDeletions) return undefined;
  const unjudged = async (): Promise<Removals> => ({
    ...people,
    removed: people.removed - (await countApproved(handle, request)),
  });
  const isEmpty =
    job.isFull && readsSource(claimed) && (await createStageStore(handle).count(job.id, 'people')) === 0;
  if (isEmpty && people.removed > 0) return 'guard_empty';
  const isTooMuch =
    cursor.isTooMuchMissing === true ||
    isTooMany(groups) ||
    (isTooMany(people) && isTooMany(await unjudged()));
  return isTooMuch ? 'guard_deletions' : undefined;
}

/** Records the difference and ends the job: a dry run as succeeded, any other as stopped by its guard. */
async function endWithDifference(
  { knex }: SyncDeps,
  claimed: OwnedJob,
  request: PreviewRequest,
  preview: Preview,
  reason: SyncFailure | undefined,
): Promise<CompareResult> {
  const { job, cursor } = claimed;
  const isStopped = reason !== undefined && !job.dryRun;
  await makeLockedStep(knex, claimed, async (transaction) => {
    const isRead = readsSource(claimed);
    if (isRead) await createGroupSyncStore(transaction).writeChanges(scopeOf(claimed));
    await writePreview(transaction, request, job.id);
    const { managed, removed: deletedGroups } = preview.removals.groups;
    const syncedGroups = isRead ? await createStageStore(transaction).count(job.id, 'groups') : managed;
    const end: JobEnd = isStopped
      ? { state: 'failed', reason }
      : { state: 'succeeded', syncedGroups, deletedGroups };
    await endJob(transaction, job, end);
    const message = 'The guard would stop this sync.';
    const warnings = reason !== undefined && job.dryRun ? [{ reason, message }] : [];
    return { cursor: enterStage(cursor, 'done'), counts: preview.counts, warnings };
  });
  return isStopped ? { kind: 'stopped', reason } : { kind: 'ended' };
}
