/**
 * The states of a video job, and the transitions between them (ADR 0002 and ADR 0004).
 *
 *   pending ──► in_progress ──► completed
 *      │             ├────────► failed
 *      ├─────────────┼────────► cancelled
 *      └─────────────┴────────► expired        (pending may also fail: refused or unconfirmed)
 */
export const JOB_STATUSES = [
  'pending',
  'in_progress',
  'completed',
  'failed',
  'cancelled',
  'expired',
] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export const TERMINAL_STATUSES = ['completed', 'failed', 'cancelled', 'expired'] as const;
export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];

export function isTerminal(status: JobStatus): status is TerminalStatus {
  return status !== 'pending' && status !== 'in_progress';
}

/** Returns whether a job has left the status `known`. A job never returns to a status. */
export function hasLeftStatus(known: JobStatus, seen: JobStatus): boolean {
  return JOB_STATUSES.indexOf(seen) > JOB_STATUSES.indexOf(known) && !isTerminal(known);
}

/** Returns the result of the cancel operation for a job in this status. */
export function cancelVerdict(status: JobStatus): 'cancel' | 'already_cancelled' | 'too_late' {
  if (!isTerminal(status)) return 'cancel';
  return status === 'cancelled' ? 'already_cancelled' : 'too_late';
}

/** The messages in `error` of the job and of the webhook. */
export const JOB_FAILURE_MESSAGES = {
  provider_refused: 'The provider refused the request',
  provider_failed: 'The provider could not generate the video',
  provider_vanished: 'The provider no longer knows the job',
  unconfirmed: 'The submission could not be confirmed; it was not repeated and is not billed',
  output_unavailable: 'The generated video could not be retrieved from the provider',
  credential_deleted: 'The credential that the job used was deleted',
  deadline_exceeded: 'The job did not finish before its deadline',
  cancelled: 'The job was cancelled',
  internal: 'The job could not be completed',
} as const;

/** The reason why a job ended without a video. It is stable: stored, logged, and shown in the webhook. */
export type JobFailureCode = keyof typeof JOB_FAILURE_MESSAGES;
export const JOB_FAILURE_CODES = Object.keys(JOB_FAILURE_MESSAGES) as JobFailureCode[];

/** The end of a job, as kept in the workflow's history. The provider's message is kept in the job's row only. */
export type TerminalEnd =
  | { status: 'completed' }
  | { status: Exclude<TerminalStatus, 'completed'>; code: JobFailureCode };
