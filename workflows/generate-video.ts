import {
  ActivityFailure,
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  log,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { CheckResult, SubmitResult, VideoActivities } from '../activities/video-activities.ts';
import type { TerminalEnd } from '../domain/videos/job.ts';
import { type GenerateVideoInput, SIGNALS } from '../domain/runs.ts';
import {
  CANCEL_UPSTREAM_OPTIONS,
  checkOptions,
  DATABASE_OPTIONS,
  storeOptions,
  SUBMIT_OPTIONS,
} from './activity-options.ts';
import { showStatus } from './search-attributes.ts';
import { startWebhookDelivery } from './start-webhook-delivery.ts';

const cancelSignal = defineSignal(SIGNALS.cancel);
const providerCallbackSignal = defineSignal(SIGNALS.providerCallback);

const { submitVideo } = proxyActivities<VideoActivities>(SUBMIT_OPTIONS);
const { cancelVideoUpstream } = proxyActivities<VideoActivities>(CANCEL_UPSTREAM_OPTIONS);
const { settleVideo } = proxyActivities<VideoActivities>(DATABASE_OPTIONS);

interface Wishes {
  nudged: boolean;
  cancelAsked: boolean;
}

const CANCELLED: TerminalEnd = { status: 'cancelled', code: 'cancelled' };
const EXPIRED: TerminalEnd = { status: 'expired', code: 'deadline_exceeded' };

/**
 * One video job, from its accepted row to its end: submit → await → store → settle → start the webhook.
 *
 * What survives a crash: the job's row, its submissions and the outbox are in Postgres, and every activity may
 * run twice. A worker that dies loses nothing: the step is repeated and finds what was done. A run that is
 * lost altogether is started again under the same id, claims the row, and goes on from the accepted
 * submission. A second run of a job that ended does nothing. Cancel, deadline, callback and completion race
 * for one row update in `settleVideo`; the first decides.
 */
export async function generateVideo(input: GenerateVideoInput): Promise<{ status: string }> {
  const wishes: Wishes = { nudged: false, cancelAsked: false };
  setHandler(cancelSignal, () => {
    wishes.cancelAsked = true;
  });
  setHandler(providerCallbackSignal, () => {
    wishes.nudged = true;
  });

  let end: TerminalEnd | undefined;
  try {
    end = await run(input, wishes);
  } catch (error) {
    // An operator's cancel may meet an attempt that fails for its own reasons.
    const cancelled = isCancellation(error) || CancellationScope.current().consideredCancelled;
    end = cancelled ? CANCELLED : { status: 'failed', code: 'internal' };
  }
  if (end === undefined) return { status: 'not_claimed' };
  return CancellationScope.nonCancellable(() => finish(input, end));
}

/** Undefined: the job is over or another run has it. */
async function run(input: GenerateVideoInput, wishes: Wishes): Promise<TerminalEnd | undefined> {
  setCurrentDetails('Submitting the job to the provider.');
  const submitted = await untilWish(
    () => submitVideo(input.jobId),
    () => wishes.cancelAsked,
  );
  if (submitted === undefined) return CANCELLED;
  if (submitted.kind === 'not_claimed') return undefined;
  if (submitted.kind === 'ended') return submitted.end;

  showStatus('in_progress', submitted.provider);
  setCurrentDetails(
    `Waiting for ${submitted.provider} to finish the video; the pending check shows its last word.`,
  );
  const answer = await awaitUpstream(input.jobId, submitted, wishes);
  if (answer.kind === 'ended') return answer.end;

  setCurrentDetails('Copying the finished video into the object store.');
  return storeOutputs(input.jobId, submitted.timeouts.storeMs);
}

type Accepted = Extract<SubmitResult, { kind: 'accepted' }>;

/** Polls until the upstream has an answer, the deadline passes, or a cancel is asked for. */
async function awaitUpstream(jobId: string, accepted: Accepted, wishes: Wishes): Promise<CheckResult> {
  for (;;) {
    if (wishes.cancelAsked) return { kind: 'ended', end: CANCELLED };
    const leftMs = accepted.deadlineAtMs - Date.now();
    if (leftMs <= 0) return { kind: 'ended', end: EXPIRED };
    wishes.nudged = false;
    const { checkVideoStatus } = proxyActivities<VideoActivities>(
      checkOptions(leftMs, accepted.timeouts.checkMs),
    );
    try {
      const answer = await untilWish(
        () => checkVideoStatus(jobId),
        () => wishes.nudged || wishes.cancelAsked,
      );
      if (answer !== undefined) return answer;
    } catch (error) {
      if (isTimeUp(error)) return { kind: 'ended', end: EXPIRED };
      throw error;
    }
  }
}

/**
 * The deadline came while the next check waited (then the cause is the last check's failure, and only the
 * retry state tells) or while one was under way.
 */
function isTimeUp(error: unknown): boolean {
  return (
    error instanceof ActivityFailure &&
    (error.retryState === 'TIMEOUT' || error.cause instanceof TimeoutFailure)
  );
}

/**
 * Runs an activity and cuts its waiting short when the wish comes true: then undefined, unless an attempt was
 * in flight, whose answer is kept.
 */
async function untilWish<T>(activity: () => Promise<T>, wish: () => boolean): Promise<T | undefined> {
  const scope = new CancellationScope();
  const result = scope.run(activity).catch((error: unknown) => {
    if (wasCut(error) && !CancellationScope.current().consideredCancelled) return undefined;
    throw error;
  });
  // Not cancelled with the run: the attempt in flight is waited for then too.
  await Promise.race([result, CancellationScope.nonCancellable(() => condition(wish))]);
  if (wish()) scope.cancel();
  return result;
}

/** Cut while it waited, or while an attempt ran that then asked for another one: its failure is the cause. */
function wasCut(error: unknown): boolean {
  return (
    isCancellation(error) || (error instanceof ActivityFailure && error.retryState === 'CANCEL_REQUESTED')
  );
}

async function storeOutputs(jobId: string, totalMs: number): Promise<TerminalEnd> {
  const { storeVideoOutputs } = proxyActivities<VideoActivities>(storeOptions(totalMs));
  try {
    const stored = await storeVideoOutputs(jobId);
    return stored.kind === 'ended' ? stored.end : { status: 'completed' };
  } catch (error) {
    if (error instanceof ActivityFailure && !isCancellation(error)) {
      return { status: 'failed', code: 'output_unavailable' };
    }
    throw error;
  }
}

/** We gave the job up for reasons of our own; the provider may still be at work. */
function isOurs(end: TerminalEnd): boolean {
  return end.status === 'failed' && end.code === 'internal';
}

async function finish(input: GenerateVideoInput, end: TerminalEnd): Promise<{ status: string }> {
  if (end.status === 'cancelled' || end.status === 'expired' || isOurs(end)) {
    setCurrentDetails('Asking the provider to stop.');
    await cancelVideoUpstream(input.jobId).catch((error: unknown) => {
      // The job ends all the same. Its settlement leaves the provider to the sweep, and shows it to operators.
      log.warn('the provider could not be asked to stop; the sweep asks again', { error });
    });
  }
  setCurrentDetails('Settling the job in the ledger.');
  const settled = await settleVideo(input.jobId, end);
  showStatus(settled.status);
  if (settled.delivery !== null) await startWebhookDelivery(input, settled.delivery);
  setCurrentDetails(`The job is ${settled.status}.`);
  return { status: settled.status };
}
