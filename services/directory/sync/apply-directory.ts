/** Applies the planned changes of a directory sync to memberships and keys. */
import type { Handle } from '../../../db/postgres/connection.ts';
import { createHeldRemovalStore } from '../../../db/directory/held-removal-store.ts';
import type { ClaimedJob } from '../../../db/directory/job-run-store.ts';
import { createMergeStore } from '../../../db/directory/merge-store.ts';
import { createPendingStore } from '../../../db/directory/pending-store.ts';
import { createPersonSyncStore } from '../../../db/directory/person-sync-store.ts';
import { createSourceStore } from '../../../db/directory/source-store.ts';
import { PEOPLE_PER_CHUNK } from '../../../domain/directory/guard.ts';
import { enterStage } from '../../../domain/directory/sync-cursor.ts';
import { applyPeople } from '../membership/apply-people.ts';
import { SourceError } from '../sources/source-reader.ts';
import { jobOf, makeLockedStep, type StepNote } from './job-step.ts';
import { scopeOf } from './plan-staged.ts';
import { hasRunOut, type SliceResult } from './read-source.ts';
import { readsSource, requireSource } from './require-source.ts';
import type { RunRef, Slice, SyncDeps } from './sync-deps.ts';

/** Applies the plan in chunks, each in one transaction, until all is applied or the time of this slice is over. */
export async function applyDirectory(deps: SyncDeps, ref: RunRef, slice: Slice): Promise<SliceResult> {
  for (;;) {
    const claimed = await jobOf(deps.knex, ref);
    const { progress } = claimed.job;
    if (claimed.cursor.stage === 'done') return { kind: 'done', progress };
    if (hasRunOut(claimed)) return { kind: 'failed', reason: 'timed_out' };
    if (Date.now() >= slice.untilMs || slice.stopRequested.aborted) return { kind: 'more', progress };
    try {
      await refreshStatistics(deps, claimed);
      await makeLockedStep(deps.knex, claimed, (transaction) => applyChunk(transaction, claimed));
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      return { kind: 'failed', reason: error.reason };
    }
  }
}

async function applyChunk(transaction: Handle, claimed: ClaimedJob): Promise<StepNote> {
  const { job, cursor } = claimed;
  const { id: jobId, organizationId } = job;
  if (readsSource(claimed)) await requireSource(transaction, claimed);
  const taken = await createPersonSyncStore(transaction).take(jobId, PEOPLE_PER_CHUNK);
  if (taken.length === 0) return { cursor: enterStage(cursor, 'done') };
  // People that a large push has changed since the plan wait for a run that checks the push.
  const personIds = readsSource(claimed) ? taken : await createPendingStore(transaction).unguarded(taken);
  if (readsSource(claimed)) {
    const store = createPersonSyncStore(transaction);
    await store.freeNames(scopeOf(claimed), personIds);
    await store.store(scopeOf(claimed), personIds);
    await store.storeMemberships(scopeOf(claimed), personIds);
    // The guard of this run has checked a complete reading of the source, so these people are no longer held.
    if (job.isFull) await createHeldRemovalStore(transaction, organizationId).release(personIds);
  }
  const { disableKeys } = await createSourceStore(transaction).find(organizationId);
  const { counts, warnings } = await applyPeople(transaction, {
    organizationId,
    personIds,
    jobId,
    disableKeys,
    actor: { organizationId, isSystem: true },
    countsRemovals: job.trigger !== 'mapping',
  });
  const applied = (job.progress.applied ?? 0) + taken.length;
  return { cursor, counts, warnings, progress: { applied } };
}

/** Refreshes the statistics of tables that a first sync fills, after 1, 4, 16 and so on chunks. */
async function refreshStatistics({ knex }: SyncDeps, { job }: ClaimedJob): Promise<void> {
  const chunks = (job.progress.applied ?? 0) / PEOPLE_PER_CHUNK;
  if (Number.isInteger(Math.log2(chunks) / 2)) await createMergeStore(knex).analyzeMembers();
}
