/**
 * A video job's states and what may follow what (spec.md "Video job"; design: §7 and §8).
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

/** Returns whether a job that had the status `known` has another one by now: a status never comes back. */
export function hasLeftStatus(known: JobStatus, seen: JobStatus): boolean {
  return JOB_STATUSES.indexOf(seen) > JOB_STATUSES.indexOf(known) && !isTerminal(known);
}

/** What a caller of the cancel operation gets, by the job's present state. */
export function cancelVerdict(status: JobStatus): 'cancel' | 'already_cancelled' | 'too_late' {
  if (!isTerminal(status)) return 'cancel';
  return status === 'cancelled' ? 'already_cancelled' : 'too_late';
}

/** Why a job ended without a video. Stable: stored, logged, shown in the webhook's reason. */
export type JobFailureCode =
  | 'provider_refused'
  | 'provider_failed'
  | 'provider_vanished'
  | 'unconfirmed'
  | 'output_unavailable'
  | 'credential_deleted'
  | 'deadline_exceeded'
  | 'cancelled'
  | 'internal';

/** The sentence a customer reads in `error` of the job and of the webhook. */
export const JOB_FAILURE_MESSAGES: Record<JobFailureCode, string> = {
  provider_refused: 'The provider refused the request',
  provider_failed: 'The provider could not generate the video',
  provider_vanished: 'The provider no longer knows the job',
  unconfirmed: 'The submission could not be confirmed; it was not repeated and is not billed',
  output_unavailable: 'The generated video could not be retrieved from the provider',
  credential_deleted: 'The credential that the job used was deleted',
  deadline_exceeded: 'The job did not finish before its deadline',
  cancelled: 'The job was cancelled',
  internal: 'The job could not be completed',
};

/** Travels through the workflow's history; what a provider said about the request lies in the job's row. */
export type TerminalEnd =
  { status: 'completed' } | { status: Exclude<TerminalStatus, 'completed'>; code: JobFailureCode };
