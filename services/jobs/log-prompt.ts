import type { TakenPrompt } from '../../db/job-request-store.ts';
import type { RunningJob } from '../../db/running-job.ts';
import { wantsBody } from '../../domain/logged-body.ts';
import type { BodyLog } from '../logged-bodies/body-log.ts';

/**
 * Keeps the prompt of a job that ended, where its workspace wants inputs logged. `failure` is the sentence that the
 * customer reads in the job, null when it completed. The video itself is not logged: its file has a retention of its
 * own. Like all logged bodies, the prompt is lost when the process dies before it is stored.
 */
export function logPrompt(
  bodies: Pick<BodyLog, 'keep'>,
  job: RunningJob,
  failure: string | null,
  taken: TakenPrompt | null,
): void {
  if (taken === null) return;
  const settings = { ...taken, isObservabilityIoLoggingEnabled: true };
  if (!wantsBody(settings, job.keyId, job.generationId)) return;
  const { generationId: id, organizationId, workspaceId, provider: providerName } = job;
  bodies.keep({ id, organizationId, workspaceId }, () => ({
    input: { prompt: taken.prompt },
    output: { completion: null, reasoning: null },
    error: failure === null ? null : { message: failure, status: null, providerName, previousErrors: [] },
  }));
}
