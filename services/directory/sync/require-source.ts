/** Protects a directory sync from a change of its source while the sync is running. */
import type { Handle } from '../../../db/postgres/connection.ts';
import type { ClaimedJob } from '../../../db/directory/job-run-store.ts';
import { createSourceStore, type SealedSource } from '../../../db/directory/source-store.ts';
import { SourceError } from '../sources/source-error.ts';

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
