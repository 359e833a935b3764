/** Implements the steps of a video job as Temporal activities, from its submission to its settlement. */
import { Context } from '@temporalio/activity';
import type { TerminalEnd } from '../domain/videos/job.ts';
import type { WebhookSchedule } from '../domain/runs.ts';
import { type CancelOutcome, cancelUpstream } from '../services/videos/cancel-upstream.ts';
import { checkJob, type CheckDeps } from '../services/videos/check-job.ts';
import type { JobStep } from '../services/videos/job-step.ts';
import { settleJob, type SettleDeps } from '../services/videos/settle-job.ts';
import { storeOutputs, type StoreDeps } from '../services/videos/store-outputs.ts';
import type { SubmitDeps } from '../services/videos/send-submission.ts';
import { submitJob } from '../services/videos/submit-job.ts';
import type { CallContext } from '../providers/call-context.ts';
import { retryLaterFailure } from './to-application-failure.ts';

export interface VideoActivityDeps extends SubmitDeps, CheckDeps, StoreDeps, SettleDeps {
  webhookSchedule: WebhookSchedule;
  timeouts: JobTimeouts;
}

/** The timeouts that the workflow gives to the steps after the submission. */
export interface JobTimeouts {
  checkMs: number;
  storeMs: number;
}

/** An outbox row whose delivery workflow is to be started. */
export interface PendingDelivery {
  deliveryId: string;
  schedule: WebhookSchedule;
}

export type SubmitResult =
  | { kind: 'not_claimed' }
  | { kind: 'accepted'; provider: string; deadlineAtMs: number; timeouts: JobTimeouts }
  | { kind: 'ended'; end: TerminalEnd };

export type CheckResult = { kind: 'ready' } | { kind: 'ended'; end: TerminalEnd };
export type StoreResult = { kind: 'stored'; outputs: number } | { kind: 'ended'; end: TerminalEnd };

/** Creates the activities. Their arguments and results are ids and small facts, because they enter the history. */
export function createVideoActivities(deps: VideoActivityDeps, stopping: AbortSignal) {
  const callContext = (jobId: string): CallContext => ({ signal: stopping, requestId: jobId });

  return {
    async submitVideo(jobId: string): Promise<SubmitResult> {
      const { runId } = Context.current().info.workflowExecution ?? {};
      if (runId === undefined) throw new Error('submitVideo runs inside a workflow');
      const step = orNotYet(await submitJob(deps, jobId, runId, callContext(jobId)));
      return step.kind === 'accepted' ? { ...step, timeouts: deps.timeouts } : step;
    },

    async checkVideoStatus(jobId: string): Promise<CheckResult> {
      return orNotYet(await checkJob(deps, jobId, callContext(jobId)));
    },

    async storeVideoOutputs(jobId: string): Promise<StoreResult> {
      // An operator's cancel aborts storing, because it may take long.
      const signal = AbortSignal.any([stopping, Context.current().cancellationSignal]);
      return orNotYet(await storeOutputs(deps, jobId, { signal, requestId: jobId }));
    },

    async cancelVideoUpstream(jobId: string): Promise<CancelOutcome> {
      return cancelUpstream(deps, jobId, callContext(jobId));
    },

    async settleVideo(
      jobId: string,
      end: TerminalEnd,
    ): Promise<{ status: string; delivery: PendingDelivery | null }> {
      const { status, deliveryId } = await settleJob(deps, jobId, end);
      return {
        status,
        delivery: deliveryId === null ? null : { deliveryId, schedule: deps.webhookSchedule },
      };
    },
  };
}

export type VideoActivities = ReturnType<typeof createVideoActivities>;

function orNotYet<Step extends { kind: string }>(step: Step | JobStep): Exclude<Step, { kind: 'retry' }> {
  if (step.kind === 'retry' && 'reason' in step) throw retryLaterFailure(step.reason, step.delayMs);
  return step as Exclude<Step, { kind: 'retry' }>;
}
