/** Measures how many video jobs and webhooks are open and how old the oldest are, for the worker's metrics. */
import type { Handle } from '../postgres/connection.ts';
import { float8, int4 } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';

/** The open work of all customers. */
export interface Backlog {
  /** Jobs without a provider, and the age of the oldest since it was accepted. */
  pending: { jobs: number; oldestSeconds: number };
  /** Jobs at a provider, and the age of the oldest since its submission. */
  inProgress: { jobs: number; oldestSeconds: number };
  /** Open jobs past their deadline. */
  overdueJobs: number;
  /** Deliveries that have not ended. */
  pendingDeliveries: number;
  /** The age of the oldest delivery that no run has taken. */
  undispatchedSeconds: number;
  /** Generations that Postgres refused and that are not billed. */
  rejects: number;
}

const COUNTS = {
  pending: int4,
  pendingSeconds: float8,
  inProgress: int4,
  inProgressSeconds: float8,
  overdue: int4,
  undispatched: int4,
  undispatchedSeconds: float8,
  dispatched: int4,
  rejects: int4,
};

/**
 * Returns SQL for the age in seconds of the oldest of these times; 0 if there is none. The age is never negative, even
 * if clocks differ.
 */
const ageOfOldest = (time: string, status?: string): string => {
  const only = status === undefined ? '' : ` filter (where status = '${status}')`;
  return `greatest(0, coalesce(extract(epoch from now() - min(${time})${only}), 0))::float8`;
};

/**
 * Reads open rows only, since each condition is that of a partial index. The two kinds of pending deliveries are
 * counted separately, because each has its own index.
 */
const BACKLOG = `
  select jobs.*, undispatched.*, dispatched.*, rejects.*
  from (
    select count(*) filter (where status = 'pending')::int pending,
           ${ageOfOldest('created_at', 'pending')} "pendingSeconds",
           count(*) filter (where status = 'in_progress')::int "inProgress",
           ${ageOfOldest('submitted_at', 'in_progress')} "inProgressSeconds",
           count(*) filter (where deadline_at < now())::int overdue
    from video_jobs where status in ('pending', 'in_progress')
  ) jobs, (
    select count(*)::int undispatched, ${ageOfOldest('created_at')} "undispatchedSeconds"
    from webhook_deliveries where status = 'pending' and dispatched_at is null
  ) undispatched, (
    select count(*)::int dispatched from webhook_deliveries where status = 'pending' and dispatched_at is not null
  ) dispatched, (
    select count(*)::int rejects from generation_rejects
  ) rejects`;

export async function readBacklog(handle: Handle): Promise<Backlog> {
  const [row] = await rowsOf(handle, COUNTS, BACKLOG);
  if (row === undefined) throw new TypeError('a statement of sums has no row');
  return {
    pending: { jobs: row.pending, oldestSeconds: row.pendingSeconds },
    inProgress: { jobs: row.inProgress, oldestSeconds: row.inProgressSeconds },
    overdueJobs: row.overdue,
    pendingDeliveries: row.undispatched + row.dispatched,
    undispatchedSeconds: row.undispatchedSeconds,
    rejects: row.rejects,
  };
}
