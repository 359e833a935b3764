import type { Handle } from './connection.ts';
import { rowsOf } from './connection.ts';

export interface UnconfirmedSubmission {
  jobId: string;
  provider: string;
  /** What the provider may be asked for. */
  idempotencyKey: string;
  sentAt: Date;
  reason: string;
}

/** Submissions of which nobody knows whether the provider took them, in all organizations. For operators. */
export function createUnconfirmedReadModel(handle: Handle) {
  return {
    /** Newest first. */
    async list(limit: number): Promise<UnconfirmedSubmission[]> {
      return rowsOf<UnconfirmedSubmission>(
        handle,
        `select job_id "jobId", provider, idempotency_key "idempotencyKey", sent_at "sentAt",
                coalesce(reason, '') reason
         from job_submissions where state = 'unconfirmed' order by sent_at desc limit ?`,
        [limit],
      );
    },

    async countByProvider(): Promise<{ provider: string; count: number }[]> {
      const rows = await rowsOf<{ provider: string; count: string }>(
        handle,
        `select provider, count(*) count from job_submissions where state = 'unconfirmed'
         group by provider order by provider`,
        [],
      );
      return rows.map(({ provider, count }) => ({ provider, count: Number(count) }));
    },
  };
}
