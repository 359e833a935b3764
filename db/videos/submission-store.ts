/** Records every submission of a video job to a provider, so that no job is submitted twice. */
import type { RefusalReason } from '../../domain/videos/wait-reason.ts';
import { type Handle, isUniqueViolation } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

export type SubmissionState = 'sending' | 'accepted' | 'refused' | 'unconfirmed' | 'orphaned';

/** The vendor's handle, as the adapter returned it. */
export type Operation = { [key: string]: string | number | boolean | null };

/** A finished file at the vendor. Its location may be secret and stays in this row. */
export interface SubmissionOutput {
  index: number;
  location: string;
}

export interface Submission {
  jobId: string;
  n: number;
  endpointId: string;
  provider: string;
  idempotencyKey: string;
  state: SubmissionState;
  operation: Operation | null;
  /** The vendor's files, once it reported them. */
  outputs: SubmissionOutput[] | null;
  sentAt: Date;
  /** True: the provider has ended the submission by itself, or accepted its cancellation. */
  isClosed: boolean;
}

export interface SubmissionRow {
  job_id: string;
  n: number;
  endpoint_id: string;
  provider: string;
  idempotency_key: string;
  state: SubmissionState;
  operation: Operation | null;
  outputs: SubmissionOutput[] | null;
  /** Text if the row was read as JSON. */
  sent_at: Date | string;
  closed_at: Date | string | null;
}

/**
 * Stores a record of each submission, which prevents a repeated one: it is written before the call and completed after
 * it. A unique index allows at most one `sending` or `accepted` submission per job.
 */
export function createSubmissionStore(handle: Handle) {
  return {
    ...submissionReads(handle),
    ...submissionAnswers(handle),

    /**
     * Records a submission before it is sent. Returns false if another submission of the job is live, or the job is
     * over: then the caller must not send it. Waits for a running settlement.
     */
    async insertSending(
      submission: Omit<Submission, 'state' | 'operation' | 'outputs' | 'sentAt' | 'isClosed'>,
    ): Promise<boolean> {
      try {
        const rows = await uncheckedRowsOf<{ n: number }>(
          handle,
          `insert into job_submissions (job_id, n, endpoint_id, provider, idempotency_key, state)
           select id, ?, ?, ?, ?, 'sending' from video_jobs
           where id = ? and status in ('pending', 'in_progress') for share
           returning n`,
          [
            submission.n,
            submission.endpointId,
            submission.provider,
            submission.idempotencyKey,
            submission.jobId,
          ],
        );
        return rows.length > 0;
      } catch (error) {
        if (isUniqueViolation(error)) return false;
        throw error;
      }
    },
  };
}

/** Builds the methods that read submissions. */
function submissionReads(handle: Handle) {
  return {
    async list(jobId: string): Promise<Submission[]> {
      const rows = await uncheckedRowsOf<SubmissionRow>(
        handle,
        `select * from job_submissions where job_id = ? order by n`,
        [jobId],
      );
      return rows.map(toSubmission);
    },

    async find(jobId: string, n: number): Promise<Submission | null> {
      const [row] = await uncheckedRowsOf<SubmissionRow>(
        handle,
        `select * from job_submissions where job_id = ? and n = ?`,
        [jobId, n],
      );
      return row === undefined ? null : toSubmission(row);
    },

    /** Returns the submission that is in flight or was accepted; null if there is none. */
    async findLive(jobId: string): Promise<Submission | null> {
      const [row] = await uncheckedRowsOf<SubmissionRow>(
        handle,
        `select * from job_submissions where job_id = ? and state in ('sending', 'accepted')`,
        [jobId],
      );
      return row === undefined ? null : toSubmission(row);
    },
  };
}

/** Builds the methods that record the outcome of a submission. */
function submissionAnswers(handle: Handle) {
  return {
    async markAccepted(jobId: string, n: number, operation: Operation): Promise<boolean> {
      return mark(handle, jobId, n, { state: 'accepted', operation });
    },

    /**
     * Records that the upstream certainly did not accept the submission. The job may be submitted again. The customer
     * sees `refusal`; `reason` is for operators.
     */
    async markRefused(jobId: string, n: number, refusal: RefusalReason, reason: string): Promise<boolean> {
      return mark(handle, jobId, n, { state: 'refused', refusal, reason });
    },

    /** Records that the outcome of a submission is unknown. It is never sent again, and operators see it. */
    async markUnconfirmed(jobId: string, n: number, reason: string): Promise<boolean> {
      return mark(handle, jobId, n, { state: 'unconfirmed', reason });
    },

    async noteOutputs(jobId: string, n: number, outputs: SubmissionOutput[]): Promise<void> {
      await handle.raw(`update job_submissions set outputs = ?::jsonb where job_id = ? and n = ?`, [
        JSON.stringify(outputs),
        jobId,
        n,
      ]);
    },

    /** Marks the unanswered submission of an ended job as unconfirmed. Returns the number of changed rows. */
    async abandonSending(jobId: string): Promise<number> {
      const rows = await uncheckedRowsOf<{ n: number }>(
        handle,
        `update job_submissions set state = 'unconfirmed', reason = 'the job ended first', answered_at = now()
         where job_id = ? and state = 'sending' returning n`,
        [jobId],
      );
      return rows.length;
    },
  };
}

/** The outcome of a submission. */
interface Outcome {
  state: SubmissionState;
  operation?: Operation;
  refusal?: RefusalReason;
  reason?: string;
}

async function mark(handle: Handle, jobId: string, n: number, outcome: Outcome): Promise<boolean> {
  const { state, operation, refusal = null, reason = null } = outcome;
  const rows = await uncheckedRowsOf<{ n: number }>(
    handle,
    `update job_submissions set state = ?, operation = ?::jsonb, refusal = ?, reason = ?, answered_at = now()
     where job_id = ? and n = ? and state = 'sending' returning n`,
    [state, operation === undefined ? null : JSON.stringify(operation), refusal, reason, jobId, n],
  );
  return rows.length > 0;
}

export function toSubmission(row: SubmissionRow): Submission {
  return {
    jobId: row.job_id,
    n: row.n,
    endpointId: row.endpoint_id,
    provider: row.provider,
    idempotencyKey: row.idempotency_key,
    state: row.state,
    operation: row.operation,
    outputs: row.outputs,
    sentAt: new Date(row.sent_at),
    isClosed: row.closed_at !== null,
  };
}
