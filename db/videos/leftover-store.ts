/** Tracks submissions that a provider may still work on after their video job has ended. */
import type { Handle } from '../postgres/connection.ts';
import { int2, jsonb, type RowOf, text, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';
import type { Operation } from './submission-store.ts';

const LEFTOVER = {
  /** The id of the job. */
  id: text,
  n: int2,
  provider: text,
  /** The customer's own credential; null for the operator's. */
  credentialId: uuid.orNull,
  operation: jsonb<Operation>(),
};

/** A submission that its provider may still work on after its job has ended. */
export type Leftover = RowOf<typeof LEFTOVER>;

/** SQL: the time of the next cancel request. The first request is sent when the job ends. */
const NEXT_CANCEL_AT = `now() + interval '5 minutes'`;
/** SQL: how long cancel requests are repeated. Providers have ended jobs by then. */
const CANCEL_PERIOD = `interval '1 day'`;

/** SQL: submissions that operators see, as in the partial index `job_submissions_unconfirmed`. */
export const UNCONFIRMED = `((state = 'unconfirmed' or leftover_since is not null) and closed_at is null)`;

/** Stores the submissions of ended jobs that may still run, until their outcome is known. */
export function createLeftoverStore(handle: Handle) {
  return {
    ...leftoverWrites(handle),

    /**
     * Returns submissions whose next cancel request is due, oldest first, and postpones each of them. Other callers
     * therefore do not get them, and a provider that does not answer cannot fill every page. A day after the job's end,
     * a submission is returned for the last time.
     */
    takeDue: (limit: number): Promise<Leftover[]> =>
      rowsOf(
        handle,
        LEFTOVER,
        `with due as (
           select job_id, n from job_submissions where next_cancel_at <= now()
           order by next_cancel_at limit :limit for update skip locked
         ), taken as (
           update job_submissions s
           set next_cancel_at = case when leftover_since > now() - ${CANCEL_PERIOD} then ${NEXT_CANCEL_AT} end
           from due where s.job_id = due.job_id and s.n = due.n
           returning s.job_id, s.n, s.provider, s.operation, s.leftover_since
         )
         select t.job_id id, t.n, t.provider, j.credential_id "credentialId", t.operation
         from taken t join video_jobs j on j.id = t.job_id order by t.leftover_since`,
        { limit },
      ),

    /** Records that the provider has ended this operation. */
    async close(jobId: string, n: number, operation: Operation): Promise<void> {
      await run(
        handle,
        `update job_submissions set closed_at = coalesce(closed_at, now()), next_cancel_at = null
         where job_id = :jobId and n = :n and operation = :operation::jsonb`,
        { jobId, n, operation: JSON.stringify(operation) },
      );
    },

    /** Records that an operator has checked the listed submissions of a job. Returns their number. */
    acknowledge: (jobId: string): Promise<number> =>
      run(
        handle,
        `update job_submissions set closed_at = now(), next_cancel_at = null
         where job_id = :jobId and ${UNCONFIRMED}`,
        { jobId },
      ),
  };
}

/** Builds the methods that record submissions which may still run. */
function leftoverWrites(handle: Handle) {
  return {
    /** Records a provider's handle that arrived after the job had ended or the submission was given up. */
    async markOrphaned(jobId: string, n: number, operation: Operation): Promise<void> {
      await run(
        handle,
        `update job_submissions set state = 'orphaned', operation = :operation::jsonb, answered_at = now(),
                reason = coalesce(reason, 'the job ended first'),
                leftover_since = now(), next_cancel_at = ${NEXT_CANCEL_AT}, closed_at = null
         where job_id = :jobId and n = :n and state in ('sending', 'refused', 'unconfirmed')`,
        { jobId, n, operation: JSON.stringify(operation) },
      );
    },

    /**
     * Records that the accepted submission of a job that did not complete may still run, unless the provider has ended
     * it or made the files. Call it in the transaction that settles the job.
     */
    async leave(jobId: string, reason: string): Promise<void> {
      await run(
        handle,
        `update job_submissions set leftover_since = now(), next_cancel_at = ${NEXT_CANCEL_AT}, reason = :reason
         where job_id = :jobId and state = 'accepted' and outputs is null and closed_at is null`,
        { jobId, reason },
      );
    },
  };
}
