/** Reads the submissions of video jobs whose outcome at the provider is unknown. */
import type { Handle } from '../postgres/connection.ts';
import { int4, oneOf, type RowOf, selectList, text, timestamptz } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';
import { UNCONFIRMED } from './leftover-store.ts';

const SUBMISSION = {
  jobId: text,
  provider: text,
  /**
   * The state of a submission. `unconfirmed`: it is unknown whether the provider accepted it. `accepted` and
   * `orphaned`: the provider accepted it, and may still run it after the job's end; the answer of an `orphaned` one
   * arrived after that end.
   */
  state: oneOf(['unconfirmed', 'accepted', 'orphaned']),
  /** The key by which the provider may find the submission. */
  idempotencyKey: text,
  /** The provider's id of the job, if it answered. */
  operationId: text.orNull,
  sentAt: timestamptz,
  reason: text,
};
export type UnconfirmedSubmission = RowOf<typeof SUBMISSION>;

const EXPRESSIONS = {
  operationId: `coalesce(operation ->> 'id', operation::text)`,
  reason: `coalesce(reason, '')`,
};

/**
 * Reads submissions of all organizations with an unknown outcome, or still running after their job's end. For
 * operators.
 */
export function createUnconfirmedReadModel(handle: Handle) {
  return {
    /** Lists submissions, newest first. */
    list: (limit: number): Promise<UnconfirmedSubmission[]> =>
      rowsOf(
        handle,
        SUBMISSION,
        `select ${selectList(SUBMISSION, undefined, EXPRESSIONS)}
         from job_submissions where ${UNCONFIRMED} order by sent_at desc limit :limit`,
        { limit },
      ),

    countByProvider: (): Promise<{ provider: string; count: number }[]> =>
      rowsOf(
        handle,
        { provider: text, count: int4 },
        `select provider, count(*)::int count from job_submissions where ${UNCONFIRMED}
         group by provider order by provider`,
      ),
  };
}
