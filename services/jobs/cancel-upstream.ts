import { createSubmissionStore, type Submission } from '../../db/submission-store.ts';
import type { Handle } from '../../db/connection.ts';
import type { CallContext, VideoAdapter, VideoOperation } from '../../providers/provider.ts';

export interface CancelDeps {
  knex: Handle;
  videoAdapter(providerSlug: string): VideoAdapter | undefined;
}

/** `nothing_to_cancel`: never accepted, or the vendor cannot. `not_cancelled`: the vendor will not. */
export type CancelOutcome = 'cancelled' | 'not_cancelled' | 'nothing_to_cancel';

/**
 * Asks the vendor to stop a job that we end, and notes whether it took the cancel. A submission whose answer was
 * lost is looked for first, where the vendor can be asked.
 */
export async function cancelUpstream(
  deps: CancelDeps,
  jobId: string,
  context: CallContext,
): Promise<CancelOutcome> {
  const submission = await createSubmissionStore(deps.knex).findLive(jobId);
  const adapter = submission === null ? undefined : deps.videoAdapter(submission.provider);
  if (submission === null || adapter?.cancel === undefined) return 'nothing_to_cancel';
  const operation = submission.operation ?? (await findLost(deps, submission, adapter, context));
  if (operation === null) return 'nothing_to_cancel';
  return cancelOperation(deps, submission, operation, adapter, context);
}

/** The same for an operation that is known. */
export async function cancelOperation(
  { knex }: Pick<CancelDeps, 'knex'>,
  { jobId, n }: Pick<Submission, 'jobId' | 'n'>,
  operation: VideoOperation,
  adapter: VideoAdapter,
  context: CallContext,
): Promise<CancelOutcome> {
  if (adapter.cancel === undefined) return 'nothing_to_cancel';
  if ((await adapter.cancel(operation, context)) === 'not_stopped') return 'not_cancelled';
  await createSubmissionStore(knex).noteCancelConfirmed(jobId, n, operation);
  return 'cancelled';
}

async function findLost(
  { knex }: CancelDeps,
  { jobId, n, idempotencyKey }: Submission,
  adapter: VideoAdapter,
  context: CallContext,
): Promise<VideoOperation | null> {
  const submissions = createSubmissionStore(knex);
  const found = (await adapter.findOperation?.(idempotencyKey, context)) ?? null;
  if (found === null) return null;
  // The job may have ended while we asked.
  if (!(await submissions.markAccepted(jobId, n, found))) await submissions.markOrphaned(jobId, n, found);
  return found;
}
