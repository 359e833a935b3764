/** Handles a source that cannot be read: the directory sync fails and shows the reason to administrators. */
import type { ClaimedJob } from '../../../db/directory/job-run-store.ts';
import type { SyncFailure } from '../../../domain/directory/job.ts';
import type { SourceError } from '../sources/source-error.ts';
import { makeStep } from './job-step.ts';
import type { RunRef, SyncDeps } from './sync-deps.ts';

/** Records why the source could not be read, and returns the result of the step. */
export async function failedBySource(
  { knex }: Pick<SyncDeps, 'knex'>,
  ref: RunRef,
  claimed: ClaimedJob,
  { reason, message }: SourceError,
): Promise<{ kind: 'failed'; reason: SyncFailure }> {
  const { cursor } = claimed;
  await makeStep(knex, ref, claimed, async () => ({ cursor, warnings: [{ reason, message }] }));
  return { kind: 'failed', reason };
}
