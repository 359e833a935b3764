import { createSubmissionStore, type Submission } from '../../db/submission-store.ts';
import type { Handle } from '../../db/connection.ts';
import type { CallContext, VideoAdapter, VideoOperation } from '../../providers/provider.ts';

export interface CancelDeps {
  knex: Handle;
  videoAdapter(providerSlug: string): VideoAdapter | undefined;
}

/**
 * Asks the vendor to stop a job that we end. `nothing_to_cancel`: never accepted, or the vendor cannot. A
 * submission whose answer was lost is looked for first, where the vendor can be asked.
 */
export async function cancelUpstream(
  deps: CancelDeps,
  jobId: string,
  context: CallContext,
): Promise<'cancelled' | 'nothing_to_cancel'> {
  const submission = await createSubmissionStore(deps.knex).findLive(jobId);
  const adapter = submission === null ? undefined : deps.videoAdapter(submission.provider);
  if (submission === null || adapter?.cancel === undefined) return 'nothing_to_cancel';
  const operation = submission.operation ?? (await findLost(deps, submission, adapter, context));
  if (operation === null) return 'nothing_to_cancel';
  await adapter.cancel(operation, context);
  return 'cancelled';
}

async function findLost(
  deps: CancelDeps,
  { jobId, n, idempotencyKey }: Submission,
  adapter: VideoAdapter,
  context: CallContext,
): Promise<VideoOperation | null> {
  const found = (await adapter.findOperation?.(idempotencyKey, context)) ?? null;
  if (found !== null) await createSubmissionStore(deps.knex).markAccepted(jobId, n, found);
  return found;
}
