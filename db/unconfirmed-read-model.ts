import type { Handle } from './connection.ts';
import { rowsOf } from './connection.ts';

export interface UnconfirmedSubmission {
  jobId: string;
  provider: string;
  /** `orphaned`: the provider has it, nobody wants it, and it is not known to have been stopped. */
  state: 'unconfirmed' | 'orphaned';
  /** What the provider may be asked for. */
  idempotencyKey: string;
  /** The provider's own id of the job, where it answered. */
  operationId: string | null;
  sentAt: Date;
  reason: string;
}

/** As the partial index `job_submissions_unconfirmed` has it. */
const UNCONFIRMED = `(state = 'unconfirmed' or (state = 'orphaned' and cancel_confirmed_at is null))`;

/**
 * Submissions of which nobody knows whether the provider took them, or stopped what it took too late, in all
 * organizations. For operators.
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
