import type { RunningJob } from '../../db/videos/running-job.ts';
import { isTerminal, type TerminalEnd } from '../../domain/videos/job.ts';

/** What a step of a job leads to, when it is not the step's own success. */
export type JobStep =
  | { kind: 'ended'; end: TerminalEnd }
  /**
   * Nothing is lost yet: try again after `delayMs`, or after the step's own growing interval. `word` tells
   * operators what is waited for; it lies in history.
   */
  | RetryStep;

export interface RetryStep {
  kind: 'retry';
  delayMs?: number;
  word: string;
}

export function retryLater(delayMs: number | undefined, word: string): RetryStep {
  return delayMs === undefined ? { kind: 'retry', word } : { kind: 'retry', delayMs, word };
}

/** The end that the job has come to, whoever brought it there. */
export function endOf({ status, failureCode }: RunningJob): TerminalEnd | undefined {
  if (!isTerminal(status)) return undefined;
  return status === 'completed' ? { status } : { status, code: failureCode ?? 'internal' };
}

/** The end that the row itself asks for: a cancel that was requested, or a deadline that has passed. */
export function isOver(job: RunningJob, nowMs: number = Date.now()): JobStep | undefined {
  if (job.cancelRequestedAt !== null) {
    return { kind: 'ended', end: { status: 'cancelled', code: 'cancelled' } };
  }
  if (job.deadlineAt.getTime() <= nowMs) {
    return { kind: 'ended', end: { status: 'expired', code: 'deadline_exceeded' } };
  }
  return undefined;
}
