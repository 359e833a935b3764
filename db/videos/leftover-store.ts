import type { Handle } from '../connection.ts';
import { rowsOf } from '../connection.ts';
import type { Operation } from './submission-store.ts';

/** A submission whose provider may be at work on it although its job is over here. */
export interface Leftover {
  /** The job's. */
  id: string;
  n: number;
  provider: string;
  /** The customer's own credential; null for the operator's. */
  credentialId: string | null;
  operation: Operation;
}

/** Also the time that the first asking has, by whoever ends the job. */
const ASKED_AGAIN_AT = `now() + interval '5 minutes'`;
/** By then a provider is done with a job, or nobody will ever hear of it. */
const ASKED_FOR = `interval '1 day'`;

/** Shown to operators: as the partial index `job_submissions_unconfirmed` has it. */
export const UNCONFIRMED = `((state = 'unconfirmed' or stop_wanted_at is not null) and closed_at is null)`;

/** What a job that is over left at its provider, until nothing is left to find out. */
export function createLeftoverStore(handle: Handle) {
  return {
    ...leftoverWrites(handle),

    /**
     * Those whose provider is to be asked again now, oldest first. They count as asked: nobody else gets them, and
     * a provider that does not answer has no more than its share of the page. After a day nobody asks any more.
     */
    async takeDue(limit: number): Promise<Leftover[]> {
      return rowsOf<Leftover>(
        handle,
        `with due as (
           select job_id, n from job_submissions where ask_again_at <= now()
           order by ask_again_at limit ? for update skip locked
         ), taken as (
           update job_submissions s
           set ask_again_at = case when stop_wanted_at > now() - ${ASKED_FOR} then ${ASKED_AGAIN_AT} end
           from due where s.job_id = due.job_id and s.n = due.n
           returning s.job_id, s.n, s.provider, s.operation, s.stop_wanted_at
         )
         select t.job_id id, t.n, t.provider, j.credential_id "credentialId", t.operation
         from taken t join video_jobs j on j.id = t.job_id order by t.stop_wanted_at`,
        [limit],
      );
    },

    /** The provider is known to be done with this operation. */
    async close(jobId: string, n: number, operation: Operation): Promise<void> {
      await handle.raw(
        `update job_submissions set closed_at = coalesce(closed_at, now()), ask_again_at = null
         where job_id = ? and n = ? and operation = ?::jsonb`,
        [jobId, n, JSON.stringify(operation)],
      );
    },

    /** An operator has looked into what was listed of this job. Returns how many submissions that were. */
    async acknowledge(jobId: string): Promise<number> {
      const rows = await rowsOf<{ n: number }>(
        handle,
        `update job_submissions set closed_at = now(), ask_again_at = null
         where job_id = ? and ${UNCONFIRMED} returning n`,
        [jobId],
      );
      return rows.length;
    },
  };
}

/** Builds the methods that leave submissions for later. */
function leftoverWrites(handle: Handle) {
  return {
    /** A handle that arrived when nobody wanted it any more: the job had ended, or the submission was given up. */
    async markOrphaned(jobId: string, n: number, operation: Operation): Promise<void> {
      await handle.raw(
        `update job_submissions set state = 'orphaned', operation = ?::jsonb, answered_at = now(),
                reason = coalesce(reason, 'the job ended first'),
                stop_wanted_at = now(), ask_again_at = ${ASKED_AGAIN_AT}, closed_at = null
         where job_id = ? and n = ? and state in ('sending', 'refused', 'unconfirmed')`,
        [JSON.stringify(operation), jobId, n],
      );
    },

    /**
     * Part of the settlement of a job that did not complete: what its provider accepted may go on there, unless
     * the provider has ended it, or has made the files.
     */
    async leave(jobId: string, reason: string): Promise<void> {
      await handle.raw(
        `update job_submissions set stop_wanted_at = now(), ask_again_at = ${ASKED_AGAIN_AT}, reason = ?
         where job_id = ? and state = 'accepted' and outputs is null and closed_at is null`,
        [reason, jobId],
      );
    },
  };
}
