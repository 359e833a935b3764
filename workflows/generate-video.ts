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

interface Interruptions {
  calledBack: boolean;
  cancelRequested: boolean;
}

const CANCELLED: TerminalEnd = { status: 'cancelled', code: 'cancelled' };
const EXPIRED: TerminalEnd = { status: 'expired', code: 'deadline_exceeded' };

/**
 * Runs one video job from its accepted row to its end: submit → await → store → settle → start the webhook.
 *
 * A crash loses nothing: the job's row, its submissions and the outbox are in Postgres, and every activity may run
 * twice. When a worker dies, Temporal repeats the step, and the step finds what was already done. A run that is lost
 * altogether is started again under its id, claims the row, and continues from the accepted submission. A second run
 * of an ended job does nothing. Cancel, deadline, callback and completion race for one row update in `settleVideo`;
 * the first one decides.
 */
export async function generateVideo(input: GenerateVideoInput): Promise<{ status: string }> {
  const interruptions: Interruptions = { calledBack: false, cancelRequested: false };
  setHandler(cancelSignal, () => {
    interruptions.cancelRequested = true;
  });
  setHandler(providerCallbackSignal, () => {
    interruptions.calledBack = true;
  });

  let end: TerminalEnd | undefined;
  try {
    end = await run(input, interruptions);
  } catch (error) {
    // An operator may cancel the run while an attempt fails for another reason: the job is then cancelled, not failed.
    const cancelled = isCancellation(error) || CancellationScope.current().consideredCancelled;
    end = cancelled ? CANCELLED : { status: 'failed', code: 'internal' };
  }
  if (end === undefined) return { status: 'not_claimed' };
  return CancellationScope.nonCancellable(() => finish(input, end));
}

/** Runs the steps up to the stored outputs. Returns undefined when the job is over or belongs to another run. */
async function run(
  input: GenerateVideoInput,
  interruptions: Interruptions,
): Promise<TerminalEnd | undefined> {
  setCurrentDetails('Submitting the job to the provider.');
  const submitted = await runUntil(
    () => submitVideo(input.jobId),
    () => interruptions.cancelRequested,
  );
  if (submitted === undefined) return CANCELLED;
  if (submitted.kind === 'not_claimed') return undefined;
  if (submitted.kind === 'ended') return submitted.end;

  showStatus('in_progress', submitted.provider);
  setCurrentDetails(
    `Waiting for ${submitted.provider} to finish the video; the pending check shows its last status.`,
  );
  const answer = await awaitUpstream(input.jobId, submitted, interruptions);
  if (answer.kind === 'ended') return answer.end;

  setCurrentDetails('Copying the finished video into the object store.');
  return storeOutputs(input.jobId, submitted.timeouts.storeMs);
}

type Accepted = Extract<SubmitResult, { kind: 'accepted' }>;

/** Polls until the provider has an answer, the deadline passes, or a cancel is requested. */
async function awaitUpstream(
  jobId: string,
  accepted: Accepted,
  interruptions: Interruptions,
): Promise<CheckResult> {
  for (;;) {
    if (interruptions.cancelRequested) return { kind: 'ended', end: CANCELLED };
    const leftMs = accepted.deadlineAtMs - Date.now();
    if (leftMs <= 0) return { kind: 'ended', end: EXPIRED };
    interruptions.calledBack = false;
    const { checkVideoStatus } = proxyActivities<VideoActivities>(
      checkOptions(leftMs, accepted.timeouts.checkMs),
    );
    try {
      const answer = await runUntil(
        () => checkVideoStatus(jobId),
        () => interruptions.calledBack || interruptions.cancelRequested,
      );
      if (answer !== undefined) return answer;
    } catch (error) {
      if (isTimeUp(error)) return { kind: 'ended', end: EXPIRED };
      throw error;
    }
  }
}

/**
 * Returns whether the deadline has passed. It may pass during a check; the cause is then a timeout. Or it may pass
 * between two checks; the cause is then the failure of the last check, and only the retry state shows the timeout.
 */
function isTimeUp(error: unknown): boolean {
  return (
    error instanceof ActivityFailure &&
    (error.retryState === 'TIMEOUT' || error.cause instanceof TimeoutFailure)
  );
}

/**
 * Runs an activity and cancels it as soon as `isInterrupted` returns true. Waits for an attempt in flight and returns
 * its answer. Returns undefined when the activity was cancelled without an answer.
 */
async function runUntil<T>(activity: () => Promise<T>, isInterrupted: () => boolean): Promise<T | undefined> {
  const scope = new CancellationScope();
  const result = scope.run(activity).catch((error: unknown) => {
    if (wasCancelled(error) && !CancellationScope.current().consideredCancelled) return undefined;
    throw error;
  });
  // This wait is not cancelled with the run, so that the run waits for the attempt in flight.
  await Promise.race([result, CancellationScope.nonCancellable(() => condition(isInterrupted))]);
  if (isInterrupted()) scope.cancel();
  return result;
}

/**
 * Returns whether the activity was cancelled. It may have been waiting for its next attempt. Or an attempt was in
 * flight and needed another one; the failure of that attempt is then the cause.
 */
function wasCancelled(error: unknown): boolean {
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

/** Returns whether the job failed for an internal reason of the gateway. The provider may still be working on it. */
function isInternalFailure(end: TerminalEnd): boolean {
  return end.status === 'failed' && end.code === 'internal';
}

async function finish(input: GenerateVideoInput, end: TerminalEnd): Promise<{ status: string }> {
  if (end.status === 'cancelled' || end.status === 'expired' || isInternalFailure(end)) {
    setCurrentDetails('Asking the provider to stop.');
    await cancelVideoUpstream(input.jobId).catch((error: unknown) => {
      // The job ends anyway. Its settlement lists the submission for the sweep, which cancels it later, and for
      // operators.
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
