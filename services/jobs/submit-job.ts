import { createJobRunStore, type RunningJob } from '../../db/job-run-store.ts';
import { createSubmissionStore, type Submission } from '../../db/submission-store.ts';
import type { Handle } from '../../db/connection.ts';
import type { VideoEndpoint } from '../../domain/catalog.ts';
import { isCertainRefusal, ProviderError } from '../../domain/provider-error.ts';
import type { Logger } from '../../platform/logger.ts';
import type { CallContext, VideoAdapter, VideoOperation } from '../../providers/provider.ts';
import type { Catalog } from '../routing/catalog.ts';
import { isOver, type JobStep, retryLater } from './job-step.ts';
import { upstreamRequest } from './upstream-request.ts';

export interface SubmitDeps {
  knex: Handle;
  catalog: Catalog;
  /** The adapter of a provider; undefined when this deployment has none for it. */
  videoAdapter(providerSlug: string): VideoAdapter | undefined;
  retryFloorMs: number;
  retryCeilingMs: number;
  logger: Logger;
}

export interface Accepted {
  kind: 'accepted';
  provider: string;
  deadlineAtMs: number;
}

/** `not_claimed`: the job is over or belongs to another run, and this run must end without a trace. */
export type SubmitStep = Accepted | { kind: 'not_claimed' } | JobStep;

interface Attempt {
  deps: SubmitDeps;
  job: RunningJob;
  context: CallContext;
}

/**
 * Claims the job for this run, then submits it upstream at most once (design: §7, "A paid submit is never
 * repeated blindly"). Safe to run again after a crash at any line: the submissions table says what may have
 * happened, and an unknown outcome is repeated only under the vendor's own promise.
 */
export async function submitJob(
  deps: SubmitDeps,
  jobId: string,
  runId: string,
  context: CallContext,
): Promise<SubmitStep> {
  const job = await createJobRunStore(deps.knex).claim(jobId, runId);
  if (job === null) return { kind: 'not_claimed' };
  const attempt = { deps, job, context };
  const live = await createSubmissionStore(deps.knex).findLive(jobId);
  if (live?.state === 'accepted') return accepted(attempt, live);
  if (live !== null) return recover(attempt, live);
  return isOver(job) ?? submitNext(attempt);
}

/** Tries the candidates in turn; each certain refusal moves on to the next. */
async function submitNext(attempt: Attempt): Promise<SubmitStep> {
  const { deps, job } = attempt;
  const submissions = createSubmissionStore(deps.knex);
  const earlier = (await submissions.list(job.id)).length;
  let last: JobStep | undefined;
  for (let tried = 0; tried < job.endpointIds.length; tried += 1) {
    const endpointId = job.endpointIds[(earlier + tried) % job.endpointIds.length]!;
    const endpoint = deps.catalog.findEndpoint(endpointId);
    const adapter = endpoint && deps.videoAdapter(endpoint.providerSlug);
    if (endpoint === undefined || adapter === undefined) {
      last ??= retryLater(deps.retryCeilingMs, 'no worker can reach the provider');
      continue;
    }
    const n = earlier + tried + 1;
    const idempotencyKey = `${job.id}-${n}`;
    const submission = { jobId: job.id, n, endpointId, provider: endpoint.providerSlug, idempotencyKey };
    if (!(await submissions.insertSending(submission))) {
      return retryLater(deps.retryFloorMs, 'another submission is under way');
    }
    const step = await send(attempt, submission, endpoint, adapter);
    if (step.kind === 'accepted' || !('refused' in step)) return step;
    last = step.refused;
  }
  return last ?? { kind: 'ended', end: { status: 'failed', code: 'provider_refused' } };
}

type SendStep = SubmitStep | { kind: 'refused'; refused: JobStep };
type Sending = Pick<Submission, 'jobId' | 'n' | 'endpointId' | 'provider' | 'idempotencyKey'>;

async function send(
  attempt: Attempt,
  sending: Sending,
  endpoint: VideoEndpoint,
  adapter: VideoAdapter,
): Promise<SendStep> {
  const { deps, job, context } = attempt;
  let operation: VideoOperation;
  try {
    const request = await upstreamRequest(deps.knex, job, endpoint, sending.idempotencyKey);
    operation = await adapter.submit(request, context);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return refusedOrUnknown(attempt, sending, adapter, error);
  }
  return accept(attempt, sending, adapter, operation);
}

async function accept(
  attempt: Attempt,
  sending: Sending,
  adapter: VideoAdapter,
  operation: VideoOperation,
): Promise<SubmitStep> {
  const { deps, job, context } = attempt;
  const submissions = createSubmissionStore(deps.knex);
  if (await submissions.markAccepted(job.id, sending.n, operation)) {
    return accepted(attempt, { ...sending, state: 'accepted', operation, outputs: null, sentAt: new Date() });
  }
  // The job was given up while the call was under way: keep the handle, and ask the vendor to stop.
  await submissions.markOrphaned(job.id, sending.n, operation);
  await adapter.cancel?.(operation, context).catch((error: unknown) => {
    deps.logger.warn({ err: error, jobId: job.id }, 'orphaned upstream job could not be cancelled');
  });
  return { kind: 'not_claimed' };
}

async function accepted(attempt: Attempt, submission: Submission): Promise<Accepted> {
  const { deps, job } = attempt;
  const runs = createJobRunStore(deps.knex);
  const maxRunSeconds = deps.catalog.findEndpoint(submission.endpointId)?.maxRunSeconds ?? 3_600;
  const deadlineAt = new Date(submission.sentAt.getTime() + maxRunSeconds * 1_000);
  await runs.markInProgress(job.id, submission.provider, deadlineAt);
  const now = await runs.find(job.id);
  const deadlineAtMs = (now?.deadlineAt ?? deadlineAt).getTime();
  return { kind: 'accepted', provider: submission.provider, deadlineAtMs };
}

async function refusedOrUnknown(
  attempt: Attempt,
  sending: Sending,
  adapter: VideoAdapter,
  error: ProviderError,
): Promise<SendStep> {
  const { deps, job } = attempt;
  const submissions = createSubmissionStore(deps.knex);
  deps.logger.warn({ err: error, jobId: job.id, n: sending.n }, 'submission failed');
  if (isCertainRefusal(error)) {
    await submissions.markRefused(job.id, sending.n, error.message);
    const refused: JobStep = error.retryable
      ? retryLater(error.retryAfterMs ?? deps.retryCeilingMs, error.message)
      : { kind: 'ended', end: { status: 'failed', code: 'provider_refused', message: error.publicMessage } };
    return { kind: 'refused', refused };
  }
  if (adapter.idempotentSubmit || adapter.findOperation !== undefined) {
    return retryLater(error.retryAfterMs ?? deps.retryFloorMs, error.message);
  }
  return giveUp(attempt, sending, error.message);
}

/** A submission was under way when its worker died, or its answer was lost. */
async function recover(attempt: Attempt, sending: Submission): Promise<SubmitStep> {
  const { deps, job, context } = attempt;
  const endpoint = deps.catalog.findEndpoint(sending.endpointId);
  const adapter = endpoint && deps.videoAdapter(endpoint.providerSlug);
  if (endpoint === undefined || adapter === undefined) {
    return retryLater(deps.retryCeilingMs, 'no worker can reach the provider');
  }
  if (!adapter.idempotentSubmit && adapter.findOperation === undefined) {
    return giveUp(attempt, sending, 'the answer was lost and the provider promises no idempotency');
  }
  const over = isOver(job);
  if (adapter.findOperation !== undefined) {
    const found = await adapter.findOperation(sending.idempotencyKey, context);
    if (found !== null) return accept(attempt, sending, adapter, found);
    if (over !== undefined) return over;
    if (!adapter.idempotentSubmit) {
      await createSubmissionStore(deps.knex).markRefused(job.id, sending.n, 'the provider has no such job');
      return retryLater(deps.retryFloorMs, 'the provider has no such job');
    }
  }
  if (over !== undefined) return over;
  const step = await send(attempt, sending, endpoint, adapter);
  return 'refused' in step ? step.refused : step;
}

async function giveUp(attempt: Attempt, sending: Sending, reason: string): Promise<SubmitStep> {
  await createSubmissionStore(attempt.deps.knex).markUnconfirmed(attempt.job.id, sending.n, reason);
  return { kind: 'ended', end: { status: 'failed', code: 'unconfirmed' } };
}
