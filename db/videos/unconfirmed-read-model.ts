/** Reads the submissions of video jobs whose outcome at the provider is unknown. */
import type { Handle } from '../postgres/connection.ts';
import { int4, oneOf, type RowOf, selectList, text, timestamptz, uuid } from '../postgres/shape.ts';
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

const JOB = {
  jobId: text,
  workspaceId: uuid,
  model: text,
  /** Provider slug. */
  provider: text,
  state: SUBMISSION.state,
  sentAt: timestamptz,
};
/** A submission of a video job with an unknown outcome, or one that may still run after the end of its job. */
export type UnconfirmedJob = RowOf<typeof JOB>;

const EXPRESSIONS = {
  operationId: `coalesce(operation ->> 'id', operation::text)`,
  reason: `coalesce(reason, '')`,
};

const JOBS = `
  select s.job_id "jobId", j.workspace_id "workspaceId", j.model, s.provider, s.state, s.sent_at "sentAt"
  from (select * from job_submissions where ${UNCONFIRMED}) s
    join video_jobs j on j.id = s.job_id
  where j.organization_id = :organizationId
  order by s.sent_at desc, s.job_id limit :limit`;

/** Reads submissions with an unknown outcome, and those that are still running after their job's end. */
export function createUnconfirmedReadModel(handle: Handle) {
  return {
    /** Lists submissions of one organization, newest first. */
    ofOrganization: (organizationId: string, limit: number): Promise<UnconfirmedJob[]> =>
      rowsOf(handle, JOB, JOBS, { organizationId, limit }),

    /** Lists submissions of all organizations, newest first. */
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
