/** Hands the prompt of an ended video job to the log and to observability destinations. */
import type { TakenPrompt } from '../../db/videos/job-request-store.ts';
import type { RunningJob } from '../../db/videos/running-job.ts';
import { logsBody } from '../../domain/ledger/logged-body.ts';
import { createBodyDraft } from '../live/body-draft.ts';
import type { BodyLog } from '../ledger/bodies/body-log.ts';

/** The facts about a job's end that are logged with the prompt. */
export interface PromptEnd {
  /** The sentence that the customer reads in the job; null when it completed. */
  failure: string | null;
  /** The ledger's time of settlement. */
  endedAt: Date;
}

/**
 * Stores the prompt of an ended job when its workspace logs inputs or a destination needs them. Does not store the
 * video, because its file has its own retention. Like all such bodies, the prompt is lost when the process dies before
 * it is stored.
 */
export function logPrompt(
  bodies: Pick<BodyLog, 'keep' | 'keepContent'>,
  job: RunningJob,
  { failure, endedAt }: PromptEnd,
  taken: TakenPrompt | null,
): void {
  if (taken === null) return;
  const { generationId: id, organizationId, workspaceId, provider: providerName } = job;
  const { prompt, needsBroadcastContent } = taken;
  if (logsBody(taken, job.keyId, id)) {
    bodies.keep({ id, organizationId, workspaceId }, () => ({
      input: { prompt },
      output: { completion: null, reasoning: null },
      error: failure === null ? null : { message: failure, status: null, providerName, previousErrors: [] },
    }));
  }
  if (needsBroadcastContent) {
    bodies.keepContent({ id, settledAt: endedAt }, () => createBodyDraft('video', prompt).content(null));
  }
}
