/** Ends a directory sync when its source was changed or cannot be read. */
import type { Handle } from '../../../db/postgres/connection.ts';
import type { ClaimedJob } from '../../../db/directory/job-run-store.ts';
import { createSourceStore, type SealedSource } from '../../../db/directory/source-store.ts';
import { SourceError } from '../sources/source-reader.ts';
import type { SyncFailure } from '../../../domain/directory/job.ts';
import { makeStep } from './job-step.ts';
import type { OwnedJob, SyncDeps } from './sync-deps.ts';

/** Returns the source that the job reads. Fails when an administrator has set another one since the job began. */
export async function requireSource(handle: Handle, { job, cursor }: ClaimedJob): Promise<SealedSource> {
  const source = await createSourceStore(handle).findSealed(job.organizationId);
  if (source?.type !== 'scim' || (cursor.baseUrl !== undefined && source.baseUrl !== cursor.baseUrl))
    throw new SourceError('source_unavailable', 'The source was changed while the sync ran.');
  return source;
}

/** Returns whether the job reads a source; other jobs apply pushed changes. */
export function readsSource({ job }: Pick<ClaimedJob, 'job'>): boolean {
  return job.source === 'scim' && (job.trigger === 'request' || job.trigger === 'schedule');
}

/** Records why the source could not be read, and returns the result of the step. */
export async function failedBySource(
  { knex }: Pick<SyncDeps, 'knex'>,
  claimed: OwnedJob,
  { reason, message }: SourceError,
): Promise<{ kind: 'failed'; reason: SyncFailure }> {
  const { cursor } = claimed;
  await makeStep(knex, claimed, async () => ({ cursor, warnings: [{ reason, message }] }));
  return { kind: 'failed', reason };
}
