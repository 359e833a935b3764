/** Defines the results that steps of a video job report to its workflow: an end or a retry. */
import type { RunningJob } from '../../db/videos/running-job.ts';
import { isTerminal, type TerminalEnd } from '../../domain/videos/job.ts';
import type { WaitReason } from '../../domain/videos/wait-reason.ts';

/** The result of a job's step, except for the step's own success. */
export type JobStep = EndedStep | RetryStep;

export interface EndedStep {
  kind: 'ended';
  end: TerminalEnd;
}

/**
 * Requests a retry after `delayMs`, or after the step's own growing interval. `reason` tells operators what the job
 * waits for; the workflow's history contains it.
 */
export interface RetryStep {
  kind: 'retry';
  delayMs?: number;
  reason: string;
}

/** The retry of a submission. The customer sees `waiting` until a provider accepts the job. */
export interface WaitStep extends RetryStep {
  delayMs: number;
  waiting: WaitReason;
}

export function retryLater(delayMs: number | undefined, reason: string): RetryStep {
  return delayMs === undefined ? { kind: 'retry', reason } : { kind: 'retry', delayMs, reason };
}

export function waitFor(waiting: WaitReason, delayMs: number, reason: string): WaitStep {
  return { kind: 'retry', delayMs, reason, waiting };
}

/** Returns the end of an ended job; undefined for an open one. */
export function endOf({ status, failureCode }: RunningJob): TerminalEnd | undefined {
  if (!isTerminal(status)) return undefined;
  return status === 'completed' ? { status } : { status, code: failureCode ?? 'internal' };
}

/** Returns the end that the row requires, because of a requested cancel or a deadline that has passed. */
export function isOver(job: RunningJob, nowMs: number = Date.now()): EndedStep | undefined {
  if (job.cancelRequestedAt !== null) {
    return { kind: 'ended', end: { status: 'cancelled', code: 'cancelled' } };
  }
  if (job.deadlineAt.getTime() <= nowMs) {
    return { kind: 'ended', end: { status: 'expired', code: 'deadline_exceeded' } };
  }
  return undefined;
}
