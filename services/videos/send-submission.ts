/** Submits a video job to its provider, and decides what the answer or its absence means. */
import { isDeepStrictEqual } from 'node:util';
import { createJobRunStore } from '../../db/videos/job-run-store.ts';
import { createLeftoverStore } from '../../db/videos/leftover-store.ts';
import type { RunningJob } from '../../db/videos/running-job.ts';
import { createSubmissionStore, type Submission } from '../../db/videos/submission-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import type { TerminalEnd } from '../../domain/videos/job.ts';
import { isCertainRefusal, ProviderError } from '../../domain/provider-error.ts';
import { refusalReason } from '../../domain/videos/wait-reason.ts';
import type { Logger } from '../../platform/logger.ts';
import type { CallContext } from '../../providers/call-context.ts';
import type { VideoAdapter, VideoOperation, VideoSubmitRequest } from '../../providers/video-adapter.ts';
import type { CallbackUrl } from './callbacks/callback-url.ts';
import type { AttemptMetrics } from '../routing/attempt-metrics.ts';
import type { GoneModels } from '../routing/gone-models.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { cancelLeftover } from './cancel-upstream.ts';
import type { JobAdapterDeps } from './job-adapter.ts';
import { type EndedStep, waitFor, type WaitStep } from './job-step.ts';
import { retryDuringOutage } from '../retry-during-outage.ts';

export interface SubmitDeps extends JobAdapterDeps {
  knex: Handle;
  catalog: Catalog;
  attempts: AttemptMetrics;
  goneModels: GoneModels;
  /**
   * Returns the address for a provider's callbacks about a job; undefined when the provider cannot reach this
   * deployment.
   */
  callbackUrl: CallbackUrl;
  /** The timeout of one submission call. */
  submitTimeoutMs: number;
  shortestRetryMs: number;
  longestRetryMs: number;
  logger: Logger;
}

export interface Accepted {
  kind: 'accepted';
  provider: string;
  deadlineAtMs: number;
}

/** `not_claimed` means that the job is over or belongs to another run, and this run must end without effects. */
export type SubmitStep = Accepted | { kind: 'not_claimed' } | EndedStep | WaitStep;

/** A refusal after which the provider certainly has no job, so that another endpoint may be tried. */
export interface Refused {
  kind: 'refused';
  /** True when a submission was recorded for it. */
  wasSent: boolean;
  /** The step of the job if no other endpoint accepts it. */
  next: EndedStep | WaitStep;
}

export interface Attempt {
  deps: SubmitDeps;
  job: RunningJob;
  context: CallContext;
}

/** A submission whose row has the state `sending`. */
export type Sending = Pick<Submission, 'jobId' | 'n' | 'endpointId' | 'provider' | 'idempotencyKey'> & {
  /** True when this submission may have reached the vendor before this call. */
  repeated: boolean;
};

const LONGEST_REFUSAL_FLOOR_MS = 60_000;

/** Calls the vendor once and records the outcome. */
export async function sendSubmission(
  attempt: Attempt,
  sending: Sending,
  request: VideoSubmitRequest,
  adapter: VideoAdapter,
): Promise<SubmitStep | Refused> {
  let operation: VideoOperation;
  try {
    operation = await adapter.submit(request, attempt.context);
    noteAttempt(attempt, sending);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    noteAttempt(attempt, sending, error);
    return refusedOrUnknown(attempt, sending, adapter, error);
  }
  return retryDuringOutage(() => accept(attempt, sending, operation), attempt.context.signal);
}

/** Counts a call with the operator's account. Failures of customers' own keys do not concern the operator. */
function noteAttempt({ deps, job }: Attempt, { provider, endpointId }: Sending, error?: ProviderError): void {
  if (job.credentialId !== null) return;
  deps.attempts.ended(provider, error);
  if (error !== undefined) deps.goneModels.note({ id: endpointId, providerSlug: provider }, error);
}

/** Stores the vendor's handle, however late it arrives. Callers may repeat it. */
export async function accept(
  attempt: Attempt,
  sending: Sending,
  operation: VideoOperation,
): Promise<SubmitStep> {
  const { deps, job, context } = attempt;
  const taken = await createJobRunStore(deps.knex).acceptSubmission(
    sending,
    operation,
    maxRunSeconds(deps, sending.endpointId),
  );
  if (taken !== null) return accepted(sending.provider, taken.deadlineAt);
  const now = await createSubmissionStore(deps.knex).find(job.id, sending.n);
  // Two attempts of one submission ran at the same time, and the vendor gave both the same job.
  if (now?.state === 'accepted' && isDeepStrictEqual(now.operation, operation)) return resume(attempt, now);
  // The job was given up during the call. Keep the handle, and ask the vendor to stop.
  await createLeftoverStore(deps.knex).markOrphaned(job.id, sending.n, operation);
  const { credentialId } = job;
  const leftover = { id: job.id, n: sending.n, provider: sending.provider, credentialId, operation };
  await cancelLeftover(deps, leftover, context).catch((error: unknown) => {
    deps.logger.warn(
      { err: error, jobId: job.id },
      'orphaned upstream job could not be cancelled; the sweep asks again',
    );
  });
  return { kind: 'not_claimed' };
}

/** Continues from an accepted submission. The job's time runs from the moment when the submission was sent. */
export async function resume(
  { deps, job }: Attempt,
  { endpointId, provider, sentAt }: Pick<Submission, 'endpointId' | 'provider' | 'sentAt'>,
): Promise<Accepted> {
  if (job.status === 'in_progress') return accepted(provider, job.deadlineAt);
  const runs = createJobRunStore(deps.knex);
  const deadlineAt = new Date(sentAt.getTime() + maxRunSeconds(deps, endpointId) * 1_000);
  await runs.markInProgress(job.id, provider, deadlineAt);
  const now = await runs.find(job.id);
  return accepted(provider, now?.deadlineAt ?? deadlineAt);
}

function accepted(provider: string, deadlineAt: Date): Accepted {
  return { kind: 'accepted', provider, deadlineAtMs: deadlineAt.getTime() };
}

function maxRunSeconds({ catalog }: SubmitDeps, endpointId: string): number {
  return catalog.findEndpoint(endpointId)?.maxRunSeconds ?? 3_600;
}

async function refusedOrUnknown(
  attempt: Attempt,
  sending: Sending,
  adapter: VideoAdapter,
  error: ProviderError,
): Promise<SubmitStep | Refused> {
  const { deps, job, context } = attempt;
  deps.logger.warn({ err: error, jobId: job.id, n: sending.n }, 'submission failed');
  if (isCertainRefusal(error) && (!sending.repeated || isAboutTheRequest(error))) {
    const submissions = createSubmissionStore(deps.knex);
    await retryDuringOutage(
      () => submissions.markRefused(job.id, sending.n, refusalReason(error), error.message),
      context.signal,
    );
    // An abort only means that this worker stops, so the refusal is not final.
    if (error.retryable || context.signal.aborted) {
      const delayMs = Math.max(error.retryAfterMs ?? deps.longestRetryMs, refusalFloorMs(attempt, sending.n));
      return { kind: 'refused', wasSent: true, next: waitFor(refusalReason(error), delayMs, error.brief) };
    }
    const refused = await refusedForGood(attempt, error);
    // Another endpoint would continue the loop.
    return error.code === 'loop_detected' ? refused.next : refused;
  }
  if (adapter.idempotentSubmit || adapter.findOperation !== undefined) {
    // Wait as long as the vendor requests, but at least the floor, so that submissions do not follow without a pause.
    const delayMs = Math.max(error.retryAfterMs ?? 0, deps.shortestRetryMs);
    return waitFor(refusalReason(error), delayMs, error.brief);
  }
  return giveUp(attempt, sending, error.message);
}

/**
 * Returns whether the request itself causes the error, so that every repetition would get it. Any other refusal of a
 * repeated submission (429, 401, or a 409 because the first one is running) says nothing about the earlier one.
 */
function isAboutTheRequest({ code }: ProviderError): boolean {
  return code === 'invalid_request' || code === 'content_policy';
}

/** Returns the final refusal, and stores the provider's public message for the customer. */
export async function refusedForGood({ deps, job }: Attempt, error: ProviderError): Promise<Refused> {
  await createJobRunStore(deps.knex).noteProviderMessage(job.id, error.publicMessage);
  const end: TerminalEnd = { status: 'failed', code: 'provider_refused' };
  return { kind: 'refused', wasSent: true, next: { kind: 'ended', end } };
}

/**
 * Returns the shortest wait after the job's `n`-th submission was refused.
 *
 * A vendor may refuse for a day, and each submission is a row, so the wait doubles with every round of candidates up
 * to a minute. A job that waits for a day makes 1,440 rounds plus the few before the wait has grown. So `n` stays a
 * smallint (32,767) with up to twenty candidates.
 */
export function refusalFloorMs({ deps, job }: Attempt, n: number): number {
  const round = Math.ceil(n / job.endpointIds.length);
  const grown = Math.min(deps.shortestRetryMs * 2 ** (round - 1), LONGEST_REFUSAL_FLOOR_MS);
  return Math.max(grown, deps.shortestRetryMs);
}

export const UNCONFIRMED: EndedStep = { kind: 'ended', end: { status: 'failed', code: 'unconfirmed' } };

/** Ends a job as unconfirmed: the vendor may have accepted the submission, so it must not be sent twice. */
export async function giveUp(
  { deps, job }: Attempt,
  sending: Sending,
  reason: string,
): Promise<EndedStep | WaitStep> {
  if (!(await createSubmissionStore(deps.knex).markUnconfirmed(job.id, sending.n, reason))) {
    return waitFor('no_answer', deps.shortestRetryMs, 'the submission was answered meanwhile');
  }
  return UNCONFIRMED;
}
