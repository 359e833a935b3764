/** Ends directory sync jobs, whether they succeeded, failed or were cancelled before they began. */
import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { createGroupSyncStore } from '../../../db/directory/group-sync-store.ts';
import { createJobRunStore, type JobEnd } from '../../../db/directory/job-run-store.ts';
import { lockDirectory } from '../../../db/accounts/lock-directory.ts';
import { createPlanStore } from '../../../db/directory/plan-store.ts';
import type { SyncFailure, SyncJob } from '../../../domain/directory/job.ts';
import type { RunRef, SyncDeps } from './sync-deps.ts';
import { createSourceStore } from '../../../db/directory/source-store.ts';
import { jobOf, makeLockedStep } from './job-step.ts';
import { readsSource } from './require-source.ts';

/**
 * Ends an open job and deletes its staged rows. People who were planned but not applied are left to another run.
 * Returns null when the job has ended already. The caller holds the directory's lock.
 */
export async function endJob(
  transaction: Handle,
  { id, organizationId }: Pick<SyncJob, 'id' | 'organizationId'>,
  end: JobEnd,
): Promise<SyncJob | null> {
  if (end.state === 'failed') await createPlanStore(transaction).leavePlanned(id);
  const ended = await createJobRunStore(transaction).end(id, end);
  if (ended === null) return null;
  await createGroupSyncStore(transaction).endChanges(id);
  await createAuditStore(transaction).insert(
    { organizationId, isSystem: true },
    {
      action: end.state === 'succeeded' ? 'syncJobSucceeded' : 'syncJobFailed',
      target: `scim/sync-jobs/${id}`,
    },
  );
  return ended;
}

/**
 * Ends the job of a run as failed, even if the run was cancelled before it took the job. Does nothing when the run
 * has lost its job.
 */
export async function failSync(knex: Handle, { jobId, runId }: RunRef, reason: SyncFailure): Promise<void> {
  const claimed = await createJobRunStore(knex).claim(jobId, runId);
  if (claimed === null) return;
  await knex.transaction(async (transaction) => {
    await lockDirectory(transaction, claimed.job.organizationId);
    if ((await createJobRunStore(transaction).lock(jobId, runId)) === null) return;
    await endJob(transaction, claimed.job, { state: 'failed', reason });
  });
}

/** Ends the job as succeeded, and records the time up to which the source was read. */
export async function finishSync({ knex }: SyncDeps, ref: RunRef): Promise<void> {
  const claimed = await jobOf(knex, ref);
  const { job, cursor } = claimed;
  await makeLockedStep(knex, claimed, async (transaction) => {
    const { baseUrl, readAtMs, groups } = cursor;
    if (readsSource(claimed) && baseUrl !== undefined && readAtMs !== undefined) {
      const reading = { baseUrl, readAtMs, isFull: job.isFull };
      await createSourceStore(transaction).noteReading(job.organizationId, reading);
    }
    await endJob(transaction, job, {
      state: 'succeeded',
      syncedGroups: groups?.synced ?? 0,
      deletedGroups: groups?.deleted ?? 0,
    });
    return { cursor };
  });
}
