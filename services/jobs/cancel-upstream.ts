import { createLeftoverStore, type Leftover } from '../../db/leftover-store.ts';
import { createSubmissionStore, type Submission } from '../../db/submission-store.ts';
import type { Handle } from '../../db/connection.ts';
import type { CallContext } from '../../providers/call-context.ts';
import type { VideoAdapter, VideoOperation } from '../../providers/video-adapter.ts';

export interface CancelDeps {
  knex: Handle;
  videoAdapter(providerSlug: string): VideoAdapter | undefined;
}

/** `nothing_to_cancel`: never accepted, over there, or the vendor cannot. `not_cancelled`: the vendor will not. */
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
  if (submission === null || submission.isClosed || adapter?.cancel === undefined) return 'nothing_to_cancel';
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
  await createLeftoverStore(knex).close(jobId, n, operation);
  return 'cancelled';
}

/**
 * Asks the vendor once more to stop what a job that is over left there, or whether it has ended it meanwhile.
 * Returns whether it is done with it.
 */
export async function cancelLeftover(
  deps: CancelDeps,
  { id: jobId, n, provider, operation }: Leftover,
  context: CallContext,
): Promise<boolean> {
  const adapter = deps.videoAdapter(provider);
  if (adapter === undefined) return false;
  if ((await cancelOperation(deps, { jobId, n }, operation, adapter, context)) === 'cancelled') return true;
  const { state } = await adapter.status(operation, context);
  if (state === 'running') return false;
  await createLeftoverStore(deps.knex).close(jobId, n, operation);
  return true;
}

async function findLost(
  { knex }: CancelDeps,
  { jobId, n, idempotencyKey }: Submission,
  adapter: VideoAdapter,
  context: CallContext,
): Promise<VideoOperation | null> {
  const found = (await adapter.findOperation?.(idempotencyKey, context)) ?? null;
  if (found === null) return null;
  // The job may have ended while we asked.
  if (!(await createSubmissionStore(knex).markAccepted(jobId, n, found))) {
    await createLeftoverStore(knex).markOrphaned(jobId, n, found);
  }
  return found;
}
