import type { Handle } from '../connection.ts';
import { rowsOf } from '../connection.ts';
import { UNCONFIRMED } from './leftover-store.ts';

export interface UnconfirmedSubmission {
  jobId: string;
  provider: string;
  /**
   * `unconfirmed`: nobody knows whether the provider took it. `accepted` and `orphaned`: it did, the job is over
   * here, and it is not known to have stopped; of an orphan it told when the job was over already.
   */
  state: 'unconfirmed' | 'accepted' | 'orphaned';
  /** What the provider may be asked for. */
  idempotencyKey: string;
  /** The provider's own id of the job, where it answered. */
  operationId: string | null;
  sentAt: Date;
  reason: string;
}

/**
 * Submissions of which nobody knows whether the provider took them, or is still at work on them for a job that is
 * over, in all organizations. For operators.
 */
export function createUnconfirmedReadModel(handle: Handle) {
  return {
    /** Newest first. */
    async list(limit: number): Promise<UnconfirmedSubmission[]> {
      return rowsOf<UnconfirmedSubmission>(
        handle,
        `select job_id "jobId", provider, state, idempotency_key "idempotencyKey",
                coalesce(operation ->> 'id', operation::text) "operationId", sent_at "sentAt",
                coalesce(reason, '') reason
         from job_submissions where ${UNCONFIRMED} order by sent_at desc limit ?`,
        [limit],
      );
    },

    async countByProvider(): Promise<{ provider: string; count: number }[]> {
      const rows = await rowsOf<{ provider: string; count: string }>(
        handle,
        `select provider, count(*) count from job_submissions where ${UNCONFIRMED}
         group by provider order by provider`,
        [],
      );
      return rows.map(({ provider, count }) => ({ provider, count: Number(count) }));
    },
  };
}
