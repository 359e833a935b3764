import type { Handle } from './connection.ts';
import { rowsOf } from './connection.ts';

export interface RateQuestion {
  /** Whose requests are counted, of what: requests of one scope are counted together. */
  scope: string;
  /** At least 1. */
  max: number;
  /** How long a request counts, or that it counts until midnight UTC. */
  window: { kind: 'sliding'; ms: number } | { kind: 'utc_day' };
}

export interface RateAnswer {
  /** False when `max` requests count already; this one does not count then. */
  taken: boolean;
  /** How many count now, this one included if it was taken. */
  used: number;
  /** Until the number of those that count falls. */
  resetMs: number;
}

/** Counts requests exactly, whichever process asks. The clock is that of Postgres. */
export function createRateLimitStore(handle: Handle) {
  return {
    /** One statement; those of one scope wait for each other. */
    async take({ scope, max, window }: RateQuestion): Promise<RateAnswer> {
      const slidingMs = window.kind === 'sliding' ? window.ms : null;
      const [row] = await rowsOf<{ taken: boolean; used: number; oldest: string; asked_at: string }>(
        handle,
        TAKE,
        [scope, slidingMs, max, max],
      );
      if (row === undefined) throw new Error('take returned no row');
      const askedAt = Number(row.asked_at);
      const resetAt = slidingMs === null ? nextMidnight(askedAt) : Number(row.oldest) + slidingMs;
      return { taken: row.taken, used: row.used, resetMs: resetAt - askedAt };
    },
  };
}

export type RateLimitStore = ReturnType<typeof createRateLimitStore>;

const DAY_MS = 86_400_000;

function nextMidnight(atMs: number): number {
  return atMs - (atMs % DAY_MS) + DAY_MS;
}

/**
 * The row is locked before its expressions are evaluated, and they see what the one before committed: nobody is
 * counted on an old list. The clock is read there too, once, so that the list is in order; `now()` would be the time
 * before the wait for the lock.
 */
const TAKE = `
  insert into rate_limit_windows as w (scope, hits, taken, asked_at)
  select ?, array[ms], true, ms from (select ${clockMs()} ms) clock
  on conflict (scope) do update set (hits, taken, asked_at) = (
    select case when cardinality(live) < limits.max then live || ms else live end, cardinality(live) < limits.max, ms
    from (select ?::bigint sliding_ms, ?::int max) limits,
    lateral (select ms, array(
        select hit from unnest(w.hits) with ordinality hits (hit, n)
        where hit > coalesce(ms - sliding_ms, ms - ms % ${DAY_MS} - 1) order by n) live
      from (select ${clockMs()} ms) clock) counted)
  returning taken, cardinality(hits) used, hits[greatest(1, cardinality(hits) - ?::int + 1)] oldest, asked_at`;

/** Volatile, and so evaluated once where it stands. */
function clockMs(): string {
  return '(extract(epoch from clock_timestamp()) * 1000)::bigint';
}
