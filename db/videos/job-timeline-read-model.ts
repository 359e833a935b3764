/** Reads the timeline of a video job, from its acceptance to its webhooks. */
import type { JobEvent } from '../../domain/videos/job-event.ts';
import type { ReadScope } from '../../domain/principal.ts';
import type { Handle } from '../postgres/connection.ts';
import { json, type RowOf, timestamptz } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';
import { inScope, scopeValues } from './job-scope.ts';

const EVENT = {
  at: timestamptz,
  lastAt: timestamptz.orNull,
  /** The fields of the event without times, which would be text in JSON. */
  event: json<object>(),
};

/**
 * Reads the steps of a job. They are sorted by step before time, because their times come from several clocks. A
 * provider may refuse a job every minute of a day, so refusals are counted by provider and reason, and checks in all.
 */
const EVENTS = `
  select 1 step, created_at at, null::timestamptz "lastAt", 0 index, json_build_object('type', 'accepted') event from job
  union all select 2, min(s.answered_at), max(s.answered_at), 0, json_build_object(
      'type', 'refused', 'count', count(*), 'provider', s.provider, 'reason', s.refusal)
    from job join job_submissions s on s.job_id = job.id where s.state = 'refused' group by s.provider, s.refusal
  union all select 3, submitted_at, null, 0, json_build_object('type', 'submitted', 'provider', provider)
    from job where submitted_at is not null
  union all select 4, last_checked_at, null, 0, json_build_object('type', 'checked', 'count', checks)
    from job where last_checked_at is not null
  union all select 5, o.created_at, null, o.index, json_build_object('type', 'stored', 'index', o.index)
    from job join job_outputs o on o.job_id = job.id
  union all select 6, ended_at, null, 0, json_build_object('type', 'settled', 'status', status)
    from job where ended_at is not null
  union all select 7, a.started_at, null, 0, json_build_object(
      'type', 'webhook_attempt', 'replay', a.replay, 'attempt', a.attempt, 'outcome', a.outcome,
      'statusCode', a.status_code)
    from job join webhook_deliveries d on d.job_id = job.id join webhook_attempts a on a.delivery_id = d.id`;

/** Lists the events of a job from the rows that its steps wrote. */
export function createJobTimelineReadModel(handle: Handle) {
  return {
    /** Returns events, the oldest first; none if the job is not in the scope. */
    async find(scope: ReadScope, jobId: string): Promise<JobEvent[]> {
      const rows = await rowsOf(
        handle,
        EVENT,
        `with job as (
           select id, provider, status, created_at, submitted_at, checks, last_checked_at, ended_at
           from video_jobs j where j.id = :jobId and ${inScope(scope)}
         ) select at, "lastAt", event from (${EVENTS}) events order by step, at, index`,
        { jobId, ...scopeValues(scope) },
      );
      return rows.map(toEvent);
    },
  };
}

function toEvent({ at, lastAt, event }: RowOf<typeof EVENT>): JobEvent {
  return { at, ...(lastAt === null ? {} : { lastAt }), ...event } as JobEvent;
}
