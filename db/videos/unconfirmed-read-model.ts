/** Reads the submissions of video jobs whose outcome at the provider is unknown. */
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import { UNCONFIRMED } from './leftover-store.ts';

export interface UnconfirmedSubmission {
  jobId: string;
  provider: string;
  /**
   * The state of a submission. `unconfirmed`: it is unknown whether the provider accepted it. `accepted` and
   * `orphaned`: the provider accepted it, and may still run it after the job's end; the answer of an `orphaned` one
   * arrived after that end.
   */
  state: 'unconfirmed' | 'accepted' | 'orphaned';
  /** The key by which the provider may find the submission. */
  idempotencyKey: string;
  /** The provider's id of the job, if it answered. */
  operationId: string | null;
  sentAt: Date;
  reason: string;
}

/**
 * Reads submissions of all organizations with an unknown outcome, or still running after their job's end. For
 * operators.
 */
export function createUnconfirmedReadModel(handle: Handle) {
  return {
    /** Lists submissions, newest first. */
    async list(limit: number): Promise<UnconfirmedSubmission[]> {
      return uncheckedRowsOf<UnconfirmedSubmission>(
        handle,
        `select job_id "jobId", provider, state, idempotency_key "idempotencyKey",
                coalesce(operation ->> 'id', operation::text) "operationId", sent_at "sentAt",
                coalesce(reason, '') reason
         from job_submissions where ${UNCONFIRMED} order by sent_at desc limit ?`,
        [limit],
      );
    },

    async countByProvider(): Promise<{ provider: string; count: number }[]> {
      const rows = await uncheckedRowsOf<{ provider: string; count: string }>(
        handle,
        `select provider, count(*) count from job_submissions where ${UNCONFIRMED}
         group by provider order by provider`,
        [],
      );
      return rows.map(({ provider, count }) => ({ provider, count: Number(count) }));
    },
  };
}
