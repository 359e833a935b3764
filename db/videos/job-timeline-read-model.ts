/** Reads the timeline of a video job, from its acceptance to its webhooks. */
import type { JobEvent } from '../../domain/videos/job-event.ts';
import type { TerminalStatus } from '../../domain/videos/job.ts';
import type { ReadScope } from '../../domain/principal.ts';
import type { AttemptOutcome } from '../../domain/webhooks/webhook-delivery.ts';
import type { Handle } from '../connection.ts';
import { rowsOf } from '../connection.ts';
import { inScope, scopeBindings } from './job-scope.ts';

interface EventRow {
  type: JobEvent['type'];
  at: Date;
  provider: string;
  index: number;
  status: TerminalStatus;
  replay: number;
  attempt: number;
  outcome: AttemptOutcome;
  status_code: number | null;
}

/** Reads the steps of a job. They are sorted by step before time, because their times come from several clocks. */
const EVENTS = `
  select 1 step, 'accepted' type, created_at at, provider, null::int index, status, null::int replay,
         null::int attempt, null outcome, null::int status_code from job
  union all select 2, 'submitted', submitted_at, provider, null, null, null, null, null, null
    from job where submitted_at is not null
  union all select 3, 'stored', o.created_at, null, o.index, null, null, null, null, null
    from job join job_outputs o on o.job_id = job.id
  union all select 4, 'settled', ended_at, null, null, status, null, null, null, null
    from job where ended_at is not null
  union all select 5, 'webhook_attempt', a.started_at, null, null, null, a.replay, a.attempt, a.outcome, a.status_code
    from job join webhook_deliveries d on d.job_id = job.id join webhook_attempts a on a.delivery_id = d.id
  order by step, at, index`;

/** Lists the events of a job from the rows that its steps wrote. */
export function createJobTimelineReadModel(handle: Handle) {
  return {
    /** Returns events, the oldest first; none if the job is not in the scope. */
    async find(scope: ReadScope, jobId: string): Promise<JobEvent[]> {
      const rows = await rowsOf<EventRow>(
        handle,
        `with job as (
           select id, provider, status, created_at, submitted_at, ended_at
           from video_jobs j where j.id = ? and ${inScope(scope)}
         ) ${EVENTS}`,
        [jobId, ...scopeBindings(scope)],
      );
      return rows.map(toEvent);
    },
  };
}

function toEvent(row: EventRow): JobEvent {
  const { at, type, replay, attempt, outcome } = row;
  switch (type) {
    case 'accepted':
      return { at, type };
    case 'submitted':
      return { at, type, provider: row.provider };
    case 'stored':
      return { at, type, index: row.index };
    case 'settled':
      return { at, type, status: row.status };
    case 'webhook_attempt':
      return { at, type, replay, attempt, outcome, statusCode: row.status_code };
  }
}
