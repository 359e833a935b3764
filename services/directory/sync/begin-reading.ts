/** Starts or restarts the reading of a directory's source, as a whole or by changes. */
import { createMissingStore } from '../../../db/directory/missing-store.ts';
import { createJobRunStore } from '../../../db/directory/job-run-store.ts';
import { createStageStore } from '../../../db/directory/stage-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { CHANGE_OVERLAP_MS } from '../../../domain/directory/limits.ts';
import { enterStage, type SyncCursor } from '../../../domain/directory/sync-cursor.ts';
import type { SourceReader } from '../sources/source-reader.ts';
import { makeStep } from './job-step.ts';
import { requireSource } from './require-source.ts';
import type { OwnedJob, SyncDeps } from './sync-deps.ts';

/** Decides what to read: only changes if the job needs no more and the source can filter them, otherwise everything. */
export async function beginReading(
  { knex }: SyncDeps,
  claimed: OwnedJob,
  reader: SourceReader,
  signal: AbortSignal,
): Promise<void> {
  const { job, cursor } = claimed;
  const { baseUrl, changedSince, fullSyncAt } = await requireSource(knex, claimed);
  const mayReadChanges = !job.isFull && changedSince !== null && fullSyncAt !== null;
  const readsChanges = mayReadChanges && (await reader.canFilterByChange(signal));
  const started: SyncCursor = {
    ...enterStage(cursor, 'people'),
    readAtMs: Date.now(),
    baseUrl: baseUrl ?? undefined,
    changedSince: readsChanges ? withOverlap(changedSince) : undefined,
    ignoresIds: fullSyncAt === null && job.dryRun,
  };
  await makeStep(knex, claimed, async (transaction) => {
    // No complete reading of this server exists, so the stored ids belong to another server.
    if (fullSyncAt === null && !job.dryRun)
      await createMissingStore(transaction).forgetSourceIds(job.organizationId);
    return readsChanges ? { cursor: started } : beginAll(transaction, job.id, started);
  });
}

/** Reads everything from the beginning, because changes cannot be determined. */
export async function readAllInstead({ knex }: SyncDeps, claimed: OwnedJob): Promise<void> {
  const { changedSince: _, ...cursor } = enterStage(claimed.cursor, 'people');
  await makeStep(knex, claimed, (transaction) => beginAll(transaction, claimed.job.id, cursor));
}

async function beginAll(
  transaction: Handle,
  jobId: string,
  cursor: SyncCursor,
): Promise<{ cursor: SyncCursor }> {
  await createJobRunStore(transaction).readAll(jobId);
  const stage = createStageStore(transaction);
  await stage.clear(jobId, 'people');
  await stage.clear(jobId, 'groups');
  return { cursor };
}

function withOverlap(changedSince: Date): string {
  return new Date(changedSince.getTime() - CHANGE_OVERLAP_MS).toISOString();
}
