/** Prepares the scheduled sync jobs of directories, and starts the workflow runs that take jobs. */
import { createJobStore, type NewSyncJob } from '../../../db/directory/job-store.ts';
import type { DirectorySource } from '../../../domain/directory/source.ts';
import { FULL_READING_EVERY_MS } from '../../../domain/directory/limits.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import type { SyncJob } from '../../../domain/directory/job.ts';
import type { RunStarter } from '../../runs/run-starter.ts';
import { createJobRunStore } from '../../../db/directory/job-run-store.ts';
import { enterStage, hasRead } from '../../../domain/directory/sync-cursor.ts';
import { makeStep, RunIsOverError } from './job-step.ts';
import { readsSource } from './require-source.ts';
import type { RunRef } from './sync-deps.ts';

/**
 * Returns the scheduled job of a source. It reads everything when the next job would start more than a day after the
 * last complete reading.
 */
export function scheduledJob({
  organizationId,
  type,
  intervalMinutes,
  fullSyncAt,
}: DirectorySource): NewSyncJob {
  const nextAtMs = Date.now() + intervalMinutes * 60_000;
  const isFull = fullSyncAt === null || nextAtMs > fullSyncAt.getTime() + FULL_READING_EVERY_MS;
  return {
    organizationId,
    source: type,
    trigger: 'schedule',
    dryRun: false,
    allowDeletions: false,
    isFull,
  };
}

/** Starts the run of a job whose row is committed. */
export async function startSync(
  knex: Handle,
  runs: Pick<RunStarter, 'startDirectorySync'>,
  { id: jobId, organizationId }: Pick<SyncJob, 'id' | 'organizationId'>,
): Promise<void> {
  await runs.startDirectorySync({ jobId, organizationId });
  await createJobStore(knex).noteRun(jobId);
}

export interface ClaimResult {
  kind: 'claimed';
  /** True when a source must still be read. */
  reads: boolean;
}

/** Takes the job for this run, unless it has ended or another run has it. */
export async function claimSync(knex: Handle, ref: RunRef): Promise<ClaimResult> {
  const claimed = await createJobRunStore(knex).claim(ref.jobId, ref.runId);
  if (claimed === null) throw new RunIsOverError();
  const { cursor } = claimed;
  if (!readsSource(claimed) && cursor.stage === 'beginning') {
    const owned = { ...claimed, runId: ref.runId };
    await makeStep(knex, owned, async () => ({ cursor: enterStage(cursor, 'comparing') }));
  }
  return { kind: 'claimed', reads: readsSource(claimed) && !hasRead(cursor) };
}
