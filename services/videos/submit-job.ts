/** Submits a video job for its workflow, at the first endpoint that accepts it and never twice by mistake. */
import { createJobRequestStore } from '../../db/videos/job-request-store.ts';
import { createJobRunStore } from '../../db/videos/job-run-store.ts';
import { liveSubmission, type RunningJob } from '../../db/videos/running-job.ts';
import { createSubmissionStore, type Submission } from '../../db/videos/submission-store.ts';
import { ProviderError } from '../../domain/provider-error.ts';
import type { VideoRequest } from '../../domain/videos/video-request.ts';
import type { CallContext } from '../../providers/call-context.ts';
import { adapterOf, endIfCredentialDeleted } from './job-adapter.ts';
import { type EndedStep, isOver, waitFor, type WaitStep } from './job-step.ts';
import {
  accept,
  type Attempt,
  giveUp,
  type Refused,
  refusalFloorMs,
  refusedForGood,
  resume,
  sendSubmission,
  type SubmitDeps,
  type SubmitStep,
  UNCONFIRMED,
} from './send-submission.ts';
import { type ReachableEndpoint, upstreamRequest } from './upstream-request.ts';

/** The step for a missing request. The settlement deletes requests, so the job has ended elsewhere. */
const ENDED_MEANWHILE: SubmitStep = { kind: 'not_claimed' };

/** A margin for the time between writing the row and the call, and for clocks that differ. */
const MARGIN_MS = 2_000;

/**
 * Claims the job for this run, then submits it upstream at most once (ADR 0004). It is safe to run again after a crash
 * at any line: the table of submissions says what may have happened. An unknown outcome is repeated only when the
 * vendor promises idempotency.
 */
export async function submitJob(
  deps: SubmitDeps,
  jobId: string,
  runId: string,
  context: CallContext,
): Promise<SubmitStep> {
  const job = await createJobRunStore(deps.knex).claim(jobId, runId);
  if (job === null) return { kind: 'not_claimed' };
  const attempt = { deps, job, context: { ...context, hops: job.client.hops } };
  const step = await endIfCredentialDeleted(submitClaimed(attempt));
  if (step.kind !== 'retry') return step;
  const wait = notPast(job, step);
  await noteWait(deps, jobId, runId, wait);
  return wait;
}

/** Shows the wait to the customer. A failure must not shorten the wait that the provider requested. */
async function noteWait(deps: SubmitDeps, jobId: string, runId: string, wait: WaitStep): Promise<void> {
  await createJobRunStore(deps.knex)
    .noteWait(jobId, runId, wait.waiting, wait.delayMs)
    .catch((error: unknown) => deps.logger.warn({ err: error, jobId }, 'the wait of a job was not recorded'));
}

async function submitClaimed(attempt: Attempt): Promise<SubmitStep> {
  const live = liveSubmission(attempt.job);
  if (live?.state === 'accepted') return resume(attempt, live);
  if (live !== null) return recover(attempt, live);
  // An earlier run gave the job up, but its result was lost. The provider may have the job all the same.
  if (attempt.job.submissions.some(({ state }) => state === 'unconfirmed' || state === 'orphaned')) {
    return UNCONFIRMED;
  }
  return isOver(attempt.job) ?? submitNext(attempt);
}

/** Limits the delay of a retry to the job's deadline; a vendor may ask for a whole day. */
function notPast({ deadlineAt }: RunningJob, step: WaitStep): WaitStep {
  const leftMs = Math.max(deadlineAt.getTime() - Date.now(), 0);
  return { ...step, delayMs: Math.min(step.delayMs, leftMs) };
}

/** Tries the candidates in turn. A certain refusal moves on to the next one. */
async function submitNext(attempt: Attempt): Promise<SubmitStep> {
  const { deps, job } = attempt;
  const earlier = job.submissions.at(-1)?.n ?? 0;
  let waiting: WaitStep | undefined;
  let refused: EndedStep | WaitStep | undefined;
  let sent = 0;
  let request: VideoRequest | null = null;
  for (let tried = 0; tried < job.endpointIds.length; tried += 1) {
    const endpointId = job.endpointIds[(earlier + tried) % job.endpointIds.length]!;
    const reachable = await reach(deps, endpointId, job);
    if (reachable === undefined) continue;
    // A request may be large. Read it once, and only when a provider can be reached.
    request ??= await createJobRequestStore(deps.knex).find(job.id);
    if (request === null) return ENDED_MEANWHILE;
    const step = await submitTo(attempt, request, reachable, earlier + sent + 1);
    if (step.kind !== 'refused') return step;
    if (step.wasSent) sent += 1;
    refused = step.next;
    if (step.next.kind === 'retry') waiting ??= step.next;
  }
  // Prefer an endpoint that may accept the job later to one that will never accept it.
  return waiting ?? refused ?? waitFor('no_worker', deps.longestRetryMs, 'no worker can reach the provider');
}

/** Records the submission as `sending`, then sends it. */
async function submitTo(
  attempt: Attempt,
  videoRequest: VideoRequest,
  served: ReachableEndpoint,
  n: number,
): Promise<SubmitStep | Refused> {
  const { deps, job } = attempt;
  const { endpoint, adapter } = served;
  const idempotencyKey = `${job.id}-${n}`;
  const sending = {
    jobId: job.id,
    n,
    endpointId: endpoint.id,
    provider: endpoint.providerSlug,
    idempotencyKey,
  };
  try {
    // Build the request before writing the row, so that a failure here certainly sent nothing.
    const request = await upstreamRequest(deps, job, videoRequest, served, idempotencyKey);
    if (!(await createSubmissionStore(deps.knex).insertSending(sending))) {
      return waitFor('no_answer', deps.shortestRetryMs, 'another submission is under way');
    }
    return await sendSubmission(attempt, { ...sending, repeated: false }, request, adapter);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (attempt.context.signal.aborted)
      return waitFor('interrupted', deps.shortestRetryMs, 'the worker stops');
    return { ...(await refusedForGood(attempt, error)), wasSent: false };
  }
}

/** Continues a submission whose worker died during the call, or whose answer was lost. */
async function recover(attempt: Attempt, submission: Submission): Promise<SubmitStep> {
  const { deps, job, context } = attempt;
  const sending = { ...submission, repeated: true };
  const over = isOver(job);
  const served = await reach(deps, sending.endpointId, job);
  if (served === undefined) {
    return over ?? waitFor('no_worker', deps.longestRetryMs, 'no worker can reach the provider');
  }
  const { adapter } = served;
  if (!adapter.idempotentSubmit) {
    const wait = retryWhileInFlight(attempt, submission);
    if (wait !== undefined) return over ?? wait;
    if (adapter.findOperation === undefined) {
      return giveUp(attempt, sending, 'the answer was lost and the provider promises no idempotency');
    }
  }
  if (adapter.findOperation !== undefined) {
    const found = await adapter.findOperation(sending.idempotencyKey, context);
    if (found !== null) return accept(attempt, sending, found);
    if (over !== undefined) return over;
    if (!adapter.idempotentSubmit) {
      const reason = 'the provider has no such job';
      await createSubmissionStore(deps.knex).markRefused(job.id, sending.n, 'no_answer', reason);
      return waitFor('no_answer', refusalFloorMs(attempt, sending.n), reason);
    }
  }
  if (over !== undefined) return over;
  const videoRequest = await createJobRequestStore(deps.knex).find(job.id);
  if (videoRequest === null) return ENDED_MEANWHILE;
  const request = await upstreamRequest(deps, job, videoRequest, served, sending.idempotencyKey);
  const step = await sendSubmission(attempt, sending, request, adapter);
  return step.kind === 'refused' ? step.next : step;
}

/**
 * Returns a retry for as long as the earlier call may last. Its worker may only have lost Temporal and may still get
 * the answer, and a provider that does not know the job may still receive it.
 */
function retryWhileInFlight({ deps }: Attempt, { sentAt }: Submission): WaitStep | undefined {
  const leftMs = sentAt.getTime() + deps.submitTimeoutMs + MARGIN_MS - Date.now();
  if (leftMs <= 0) return undefined;
  return waitFor('no_answer', Math.max(leftMs, deps.shortestRetryMs), 'the submission may be under way');
}

async function reach(
  deps: SubmitDeps,
  endpointId: string,
  job: RunningJob,
): Promise<ReachableEndpoint | undefined> {
  const endpoint = deps.catalog.findEndpoint(endpointId);
  const adapter = endpoint && (await adapterOf(deps, endpoint.providerSlug, job));
  return endpoint && adapter && { endpoint, adapter };
}
