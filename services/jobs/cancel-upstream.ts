import { createSubmissionStore } from '../../db/submission-store.ts';
import type { Handle } from '../../db/connection.ts';
import type { CallContext, VideoAdapter } from '../../providers/provider.ts';

export interface CancelDeps {
  knex: Handle;
  videoAdapter(providerSlug: string): VideoAdapter | undefined;
}

/** Asks the vendor to stop a job that we end. `nothing_to_cancel`: never accepted, or the vendor cannot. */
export async function cancelUpstream(
  deps: CancelDeps,
  jobId: string,
  context: CallContext,
): Promise<'cancelled' | 'nothing_to_cancel'> {
  const submission = await createSubmissionStore(deps.knex).findLive(jobId);
  const adapter = submission === null ? undefined : deps.videoAdapter(submission.provider);
  if (submission?.operation == null || adapter?.cancel === undefined) return 'nothing_to_cancel';
  await adapter.cancel(submission.operation, context);
  return 'cancelled';
}
