/** Checks the progress of a submitted video job at its provider, for the job's workflow. */
import { createJobRunStore } from '../../db/videos/job-run-store.ts';
import { createLeftoverStore } from '../../db/videos/leftover-store.ts';
import { liveSubmission, type RunningJob } from '../../db/videos/running-job.ts';
import type { Operation, Submission } from '../../db/videos/submission-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { ProviderError } from '../../domain/provider-error.ts';
import { nextCheckDelayMs, type PollPace } from '../../domain/videos/poll-pace.ts';
import type { CallContext } from '../../providers/call-context.ts';
import type { VideoStatus } from '../../providers/video-adapter.ts';
import { adapterOf, type JobAdapterDeps, endIfCredentialDeleted } from './job-adapter.ts';
import { noteReport } from './note-report.ts';
import { endOf, isOver, type JobStep, retryLater } from './job-step.ts';

export interface CheckDeps extends JobAdapterDeps {
  knex: Handle;
  pollPace: PollPace;
}

/** `ready` means that the upstream has the files; their locations are in the submission's row, not in history. */
export type CheckStep = { kind: 'ready' } | JobStep;

const NOT_FOUND_IS_FINAL_AFTER = 3;

/**
 * Asks the upstream for the status once. When the job is still running, returns a `retry` with the time of the next
 * check. Counts errors in the row and retries until the deadline, except that the third 404 in a row is final.
 */
export function checkJob(deps: CheckDeps, jobId: string, context: CallContext): Promise<CheckStep> {
  return endIfCredentialDeleted(check(deps, jobId, context));
}

async function check(deps: CheckDeps, jobId: string, context: CallContext): Promise<CheckStep> {
  const job = await createJobRunStore(deps.knex).find(jobId);
  const end = job && endOf(job);
  // Another process ended the job, such as the sweep. The run closes with that end and settles nothing.
  if (end) return { kind: 'ended', end };
  const live = job && liveSubmission(job);
  if (job === null || live?.operation == null) throw new Error('no accepted submission to check');
  const submission: AcceptedSubmission = { ...live, operation: live.operation };
  // Notice a cancel whose signal was lost. The workflow itself applies the deadline.
  const over = isOver(job);
  if (over?.kind === 'ended' && over.end.status === 'cancelled') return over;
  const adapter = await adapterOf(deps, submission.provider, job);
  if (adapter === undefined) return retryLater(deps.pollPace.longestMs, 'no worker can reach the provider');
  try {
    const status = await adapter.status(submission.operation, context);
    return await answered(deps, job, submission, status);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return failedCheck(deps, job, submission, error);
  }
}

type AcceptedSubmission = Submission & { operation: Operation };

async function answered(
  deps: CheckDeps,
  job: RunningJob,
  submission: AcceptedSubmission,
  status: VideoStatus,
): Promise<CheckStep> {
  const runs = createJobRunStore(deps.knex);
  // Recorded before any further step, so that a crash cannot lose it.
  if (status.state !== 'running') await noteReport(deps, job, submission, status);
  if (status.state === 'completed') {
    await runs.noteCompleted(job.id, submission.n, status.outputs, status.upstreamCostNanos ?? null);
    return { kind: 'ready' };
  }
  const percent = status.state === 'running' ? status.progressPercent : undefined;
  const progress = percent === undefined ? {} : { progressPercent: wholePercent(percent) };
  await runs.noteCheck(job.id, { vendorStatus: status.vendorStatus, outcome: 'answered', ...progress });
  if (status.state === 'failed' || status.state === 'expired') await close(deps, submission);
  switch (status.state) {
    case 'running':
      return retryLater(delayMs(deps, job, status.retryAfterMs), describeProgress(status));
    case 'failed':
      await runs.noteProviderMessage(job.id, status.publicMessage);
      return { kind: 'ended', end: { status: 'failed', code: 'provider_failed' } };
    case 'cancelled':
      await runs.noteCancelled(job.id, submission.n, submission.operation, status.upstreamCostNanos ?? null);
      return { kind: 'ended', end: { status: 'cancelled', code: 'cancelled' } };
    case 'expired':
      return { kind: 'ended', end: { status: 'expired', code: 'deadline_exceeded' } };
  }
}

/**
 * Returns a whole percentage between 0 and 100. Vendors also report fractions and larger numbers, which the column
 * does not accept.
 */
function wholePercent(reported: number): number {
  return Math.round(Math.min(Math.max(reported, 0), 100));
}

async function failedCheck(
  deps: CheckDeps,
  job: RunningJob,
  submission: AcceptedSubmission,
  error: ProviderError,
): Promise<CheckStep> {
  const notFound = error.code === 'not_found';
  await createJobRunStore(deps.knex).noteCheck(job.id, {
    vendorStatus: error.message,
    outcome: notFound ? 'not_found' : 'error',
  });
  if (notFound && job.consecutiveNotFound + 1 >= NOT_FOUND_IS_FINAL_AFTER) {
    await close(deps, submission);
    return { kind: 'ended', end: { status: 'failed', code: 'provider_vanished' } };
  }
  return retryLater(delayMs(deps, job, error.retryAfterMs), error.brief);
}

/** Marks the submission closed: the provider is no longer working on it, so there is nothing to stop. */
function close({ knex }: CheckDeps, { jobId, n, operation }: AcceptedSubmission): Promise<void> {
  return createLeftoverStore(knex).close(jobId, n, operation);
}

function delayMs(deps: CheckDeps, job: RunningJob, retryAfterMs: number | undefined): number {
  const startedAtMs = (job.submittedAt ?? job.createdAt).getTime();
  const moment = { nowMs: Date.now(), startedAtMs, deadlineAtMs: job.deadlineAt.getTime(), retryAfterMs };
  return nextCheckDelayMs(deps.pollPace, moment);
}

function describeProgress(status: Extract<VideoStatus, { state: 'running' }>): string {
  const progress = status.progressPercent === undefined ? '' : ` (${status.progressPercent} %)`;
  return `the provider says: ${status.vendorStatus}${progress}`;
}
