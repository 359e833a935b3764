/** Records every submission of a video job to a provider, so that a job gets a further one only after a refusal. */
import type { VendorReport } from '../../domain/catalog/video-meters.ts';
import type { RefusalReason } from '../../domain/videos/wait-reason.ts';
import { type Handle, isUniqueViolation } from '../postgres/connection.ts';
import { anyRows, firstRow } from '../postgres/results.ts';
import { bool, int2, jsonb, oneOf, type RowOf, selectList, text, timestamptz } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

/** `orphaned`: the provider's acceptance arrived after the job was given up or had ended; see leftover-store.ts. */
const STATES = ['sending', 'accepted', 'refused', 'unconfirmed', 'orphaned'] as const;

/** The provider's reference to its job, as the adapter returned it. */
export type Operation = { [key: string]: string | number | boolean | null };

/** A finished file at the vendor. Its location may be secret and stays in this row. */
export interface SubmissionOutput {
  index: number;
  location: string;
}

const SUBMISSION = {
  jobId: text,
  /** The number of the submission within its job. */
  n: int2,
  endpointId: text,
  provider: text,
  idempotencyKey: text,
  state: oneOf(STATES),
  operation: jsonb<Operation>().orNull,
  /** The vendor's files, once it reported them. */
  outputs: jsonb<SubmissionOutput[]>().orNull,
  /** The units that the vendor reported as billed. */
  report: jsonb<VendorReport>().orNull,
  sentAt: timestamptz,
  /** True: the provider has ended the submission by itself, or accepted its cancellation. */
  isClosed: bool,
};
export type Submission = RowOf<typeof SUBMISSION>;

/** SQL that selects submissions under the alias `s`. */
export const SUBMISSIONS = `
  select ${selectList(SUBMISSION, 's', { isClosed: 's.closed_at is not null' })} from job_submissions s`;

/**
 * Stores a row for each submission. The row is written before the call and completed after it, so a retry sees that the
 * job may already have been sent. A unique index allows at most one `sending` or `accepted` submission per job.
 */
export function createSubmissionStore(handle: Handle) {
  return {
    ...submissionReads(handle),
    ...submissionAnswers(handle),

    /**
     * Records a submission before it is sent. Returns false if the job has ended or another submission of it is
     * `sending` or `accepted`; the caller must not send then. Waits while another transaction settles the job.
     */
    async insertSending(
      submission: Omit<Submission, 'state' | 'operation' | 'outputs' | 'report' | 'sentAt' | 'isClosed'>,
    ): Promise<boolean> {
      try {
        return await anyRows(
          handle,
          `insert into job_submissions (job_id, n, endpoint_id, provider, idempotency_key, state)
           select id, :n, :endpointId, :provider, :idempotencyKey, 'sending' from video_jobs
           where id = :jobId and status in ('pending', 'in_progress') for share`,
          { ...submission },
        );
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
    list: (jobId: string): Promise<Submission[]> =>
      rowsOf(handle, SUBMISSION, `${SUBMISSIONS} where job_id = :jobId order by n`, { jobId }),

    async find(jobId: string, n: number): Promise<Submission | null> {
      const statement = `${SUBMISSIONS} where job_id = :jobId and n = :n`;
      return firstRow(handle, SUBMISSION, statement, { jobId, n });
    },

    /** Returns the submission that is in flight or was accepted; null if there is none. */
    async findLive(jobId: string): Promise<Submission | null> {
      const statement = `${SUBMISSIONS} where job_id = :jobId and state in ('sending', 'accepted')`;
      return firstRow(handle, SUBMISSION, statement, { jobId });
    },
  };
}

/**
 * Builds the methods that record the outcome of a submission. The methods `mark…` return false if the submission is no
 * longer `sending`.
 */
function submissionAnswers(handle: Handle) {
  return {
    markAccepted: (jobId: string, n: number, operation: Operation): Promise<boolean> =>
      mark(handle, jobId, n, { state: 'accepted', operation }),

    /**
     * Records that the upstream certainly did not accept the submission. The job may be submitted again. The customer
     * sees `refusal`; `reason` is for operators.
     */
    markRefused: (jobId: string, n: number, refusal: RefusalReason, reason: string): Promise<boolean> =>
      mark(handle, jobId, n, { state: 'refused', refusal, reason }),

    /** Records that the outcome of a submission is unknown. It is never sent again, and operators see it. */
    markUnconfirmed: (jobId: string, n: number, reason: string): Promise<boolean> =>
      mark(handle, jobId, n, { state: 'unconfirmed', reason }),

    async noteOutputs(jobId: string, n: number, outputs: SubmissionOutput[]): Promise<void> {
      await run(
        handle,
        `update job_submissions set outputs = :outputs::jsonb where job_id = :jobId and n = :n`,
        { jobId, n, outputs: JSON.stringify(outputs) },
      );
    },

    /** Marks the unanswered submission of an ended job as unconfirmed. Returns the number of changed rows. */
    abandonSending: (jobId: string): Promise<number> =>
      run(
        handle,
        `update job_submissions set state = 'unconfirmed', reason = 'the job ended first', answered_at = now()
         where job_id = :jobId and state = 'sending'`,
        { jobId },
      ),
  };
}

/** The outcome of a submission. */
interface Outcome {
  state: Submission['state'];
  operation?: Operation;
  refusal?: RefusalReason;
  reason?: string;
}

async function mark(handle: Handle, jobId: string, n: number, outcome: Outcome): Promise<boolean> {
  const { state, operation, refusal = null, reason = null } = outcome;
  return anyRows(
    handle,
    `update job_submissions set state = :state, operation = :operation::jsonb, refusal = :refusal, reason = :reason,
            answered_at = now()
     where job_id = :jobId and n = :n and state = 'sending'`,
    {
      jobId,
      n,
      state,
      operation: operation === undefined ? null : JSON.stringify(operation),
      refusal,
      reason,
    },
  );
}
