/** Records each step of a video job, from its start to its end, for the workflow. */
import type { TerminalEnd } from '../../domain/videos/job.ts';
import type { WaitReason } from '../../domain/videos/wait-reason.ts';
import type { Nanos } from '../../domain/money.ts';
import type { Handle } from '../postgres/connection.ts';
import { firstRow } from '../postgres/results.ts';
import { timestamptz } from '../postgres/shape.ts';
import { run } from '../postgres/statement.ts';
import { RUNNING_JOB, RUNNING_JOB_COLUMNS, type RunningJob, toRunningJob } from './running-job.ts';
import type { Operation, SubmissionOutput } from './submission-store.ts';

/**
 * The result of a status check. `vendorStatus` is the vendor's own status, or the error's message, shown to operators.
 */
export interface CheckNote {
  vendorStatus: string;
  progressPercent?: number;
  outcome: 'answered' | 'not_found' | 'error';
}

/** SQL: from the accepted submission of the job `j`. */
const ACCEPTED = `from job_submissions s where s.job_id = j.id and s.state = 'accepted'`;

/**
 * Stores the progress of a job for the workflow's activities. A write changes the job's row only if it has the expected
 * state.
 */
export function createJobRunStore(handle: Handle) {
  return {
    ...jobStarts(handle),
    ...acceptances(handle),
    ...checkNotes(handle),
    ...cancelNotes(handle),

    /**
     * Ends a job. Returns the ended job, or null if it had ended before, so only one caller gets it. With
     * `keepsProviderMessage` the provider's message stays the job's error. A completed job costs what was recorded with
     * its accepted submission, or its price. A cancelled job costs what the provider reported, or the amount recorded
     * at its cancellation.
     */
    async end(
      jobId: string,
      end: TerminalEnd,
      error: { message: string | null; keepsProviderMessage: boolean },
      outputsExpireAt: Date | null,
    ): Promise<RunningJob | null> {
      const code = end.status === 'completed' ? null : end.code;
      const row = await firstRow(
        handle,
        RUNNING_JOB,
        `update video_jobs j set status = :status, ended_at = now(), updated_at = now(), failure_code = :code,
                error = case when :keepsMessage then coalesce(error, :message) else :message end,
                outputs_expire_at = :outputsExpireAt,
                cost_nanos = case :status
                  when 'completed' then coalesce((select charge_nanos ${ACCEPTED}), price_nanos)
                  when 'cancelled' then (
                    select case when report is null then cancel_cost_nanos else charge_nanos end ${ACCEPTED}) end
         where id = :jobId and status in ('pending', 'in_progress') returning ${RUNNING_JOB_COLUMNS}`,
        {
          jobId,
          status: end.status,
          code,
          keepsMessage: error.keepsProviderMessage,
          message: error.message,
          outputsExpireAt,
        },
      );
      return row && toRunningJob(row);
    },
  };
}

/** Builds the methods that claim a job and mark it as in progress. */
function jobStarts(handle: Handle) {
  return {
    /**
     * Claims the job for a run. Returns null if the job is unknown or over, or another run has it in progress. The
     * caller then ends at once, so that a second start does nothing.
     */
    async claim(jobId: string, runId: string): Promise<RunningJob | null> {
      const row = await firstRow(
        handle,
        RUNNING_JOB,
        `update video_jobs j set run_id = :runId, claimed_at = coalesce(claimed_at, now()),
                dispatched_at = coalesce(dispatched_at, now()), updated_at = now()
         where id = :jobId and (status = 'pending'
                                or (status = 'in_progress' and (run_id is null or run_id = :runId)))
         returning ${RUNNING_JOB_COLUMNS}`,
        { jobId, runId },
      );
      return row && toRunningJob(row);
    },

    async find(jobId: string): Promise<RunningJob | null> {
      const statement = `select ${RUNNING_JOB_COLUMNS} from video_jobs j where id = :jobId`;
      const row = await firstRow(handle, RUNNING_JOB, statement, { jobId });
      return row && toRunningJob(row);
    },

    /** Records why the run's job waits for its next submission, and for how long. */
    async noteWait(jobId: string, runId: string, reason: WaitReason, delayMs: number): Promise<void> {
      await run(
        handle,
        `update video_jobs set waiting_since = case when waiting_reason = :reason then waiting_since else now() end,
                waiting_reason = :reason, next_try_at = now() + :delayMs * interval '1 millisecond', updated_at = now()
         where id = :jobId and run_id = :runId and status = 'pending'`,
        { jobId, runId, reason, delayMs },
      );
    },

    /** Records that the provider has accepted the job, which runs from now until `deadlineAt`. */
    async markInProgress(jobId: string, provider: string, deadlineAt: Date): Promise<void> {
      await run(
        handle,
        `update video_jobs set status = 'in_progress', provider = :provider, submitted_at = now(),
                deadline_at = :deadlineAt, vendor_status = 'accepted', updated_at = now()
         where id = :jobId and status = 'pending'`,
        { jobId, provider, deadlineAt },
      );
    },
  };
}

/** Builds the method that records an accepted submission. */
function acceptances(handle: Handle) {
  return {
    /**
     * Records that the upstream accepted a submission in state `sending`: stores its handle, and marks the job as
     * running from the time of sending, for at most `maxRunSeconds`. Returns null and stores nothing if the job is over
     * or the submission has another state. Locks the job before its submission, as the settlement does.
     */
    acceptSubmission: (
      submission: { jobId: string; n: number; provider: string },
      operation: Operation,
      maxRunSeconds: number,
    ): Promise<{ deadlineAt: Date } | null> =>
      firstRow(
        handle,
        { deadlineAt: timestamptz },
        `with job as (
           select id, deadline_at from video_jobs
           where id = :jobId and status in ('pending', 'in_progress') for no key update
         ), accepted as (
           update job_submissions s set state = 'accepted', operation = :operation::jsonb, answered_at = now()
           from job where s.job_id = job.id and n = :n and state = 'sending'
           returning s.job_id, s.sent_at, job.deadline_at
         ), moved as (
           update video_jobs j set status = 'in_progress', provider = :provider, submitted_at = now(),
                  deadline_at = accepted.sent_at + :maxRunSeconds * interval '1 second', vendor_status = 'accepted',
                  updated_at = now()
           from accepted where j.id = accepted.job_id and j.status = 'pending'
           returning j.deadline_at
         )
         select coalesce((select deadline_at from moved), deadline_at) "deadlineAt" from accepted`,
        { ...submission, operation: JSON.stringify(operation), maxRunSeconds },
      ),
  };
}

/** Builds the methods that record the results of status checks. */
function checkNotes(handle: Handle) {
  return {
    async noteCheck(jobId: string, note: CheckNote): Promise<void> {
      await run(
        handle,
        `update video_jobs set checks = checks + 1, last_checked_at = now(), vendor_status = :vendorStatus,
                progress_percent = coalesce(:progressPercent, progress_percent),
                consecutive_errors = case when :outcome = 'answered' then 0 else consecutive_errors + 1 end,
                consecutive_not_found = case when :outcome = 'not_found' then consecutive_not_found + 1 else 0 end,
                updated_at = now()
         where id = :jobId and status in ('pending', 'in_progress')`,
        { jobId, progressPercent: null, ...note },
      );
    },

    /** Records that a check found the job completed, where its files are, and what the provider charged in money. */
    async noteCompleted(
      jobId: string,
      n: number,
      outputs: SubmissionOutput[],
      upstreamCostNanos: Nanos | null,
    ): Promise<void> {
      await run(
        handle,
        `with noted as (
           update video_jobs set checks = checks + 1, last_checked_at = now(), vendor_status = 'completed',
                  consecutive_errors = 0, consecutive_not_found = 0, upstream_cost_nanos = coalesce(:cost, upstream_cost_nanos),
                  updated_at = now()
           where id = :jobId and status in ('pending', 'in_progress')
         )
         update job_submissions set outputs = :outputs::jsonb where job_id = :jobId and n = :n`,
        { jobId, n, outputs: JSON.stringify(outputs), cost: upstreamCostNanos?.toString() ?? null },
      );
    },

    /**
     * Records the provider's public message about a job that is about to end. Readers see it once the job has ended.
     */
    async noteProviderMessage(jobId: string, message: string): Promise<void> {
      await run(
        handle,
        `update video_jobs set error = :message, updated_at = now()
         where id = :jobId and status in ('pending', 'in_progress')`,
        { jobId, message },
      );
    },
  };
}

/** Builds the methods that record the cost of a cancelled job. */
function cancelNotes(handle: Handle) {
  return {
    /**
     * Records that a cancelled job costs its full price, or its estimate, because the provider still makes the video or
     * has made it.
     */
    async noteCancelPrice(jobId: string, n: number): Promise<void> {
      await run(
        handle,
        `update job_submissions s
         set cancel_cost_nanos = coalesce((j.terms -> s.endpoint_id ->> 'estimateNanos')::numeric, j.price_nanos)
         from video_jobs j
         where j.id = s.job_id and s.job_id = :jobId and s.n = :n and j.status in ('pending', 'in_progress')`,
        { jobId, n },
      );
    },

    /**
     * Records that the provider has ended the job without a video: closes the submission, and stores what the provider
     * charges if it says so. A cancelled job costs that amount, but no more than its reserved price. Locks the job
     * before its submission, as the settlement does.
     */
    async noteCancelled(
      jobId: string,
      n: number,
      operation: Operation,
      upstreamCostNanos: Nanos | null,
    ): Promise<void> {
      await run(
        handle,
        `with job as (
           update video_jobs set upstream_cost_nanos = :cost::numeric, updated_at = now()
           where id = :jobId and status in ('pending', 'in_progress') and :cost::numeric is not null
           returning least(upstream_cost_nanos, price_nanos) cost
         )
         update job_submissions set closed_at = coalesce(closed_at, now()), next_cancel_at = null,
                cancel_cost_nanos = (select cost from job)
         where job_id = :jobId and n = :n and operation = :operation::jsonb`,
        { jobId, n, operation: JSON.stringify(operation), cost: upstreamCostNanos?.toString() ?? null },
      );
    },
  };
}
