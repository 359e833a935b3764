import type { Handle } from './connection.ts';
import { rowsOf } from './connection.ts';

export interface RateQuestion {
  /** Whose requests are counted, of what: requests of one scope are counted together. */
  scope: string;
  /** At least 1. */
  max: number;
  /** How long a request counts, at most a day, or that it counts until midnight UTC. */
  window: { kind: 'sliding'; ms: number } | { kind: 'utc_day' };
}

export interface RateAnswer {
  /** How many of the requests count; the others would have been too many, and do not. */
  taken: number;
  /** How many count now, these included. */
  used: number;
  /** Until the number of those that count falls. */
  resetMs: number;
}

/** Counts requests exactly, whichever process asks. The clock is that of Postgres. */
export function createRateLimitStore(handle: Handle) {
  return {
    /** So many requests at once, in one statement; statements of one scope wait for each other. */
    async take({ scope, max, window }: RateQuestion, requests: number): Promise<RateAnswer> {
      const slidingMs = window.kind === 'sliding' ? window.ms : null;
      const [row] = await rowsOf<{ granted: number; used: number; oldest: string; asked_at: string }>(
        handle,
        TAKE,
        [scope, requests, max, slidingMs, max, requests, max],
      );
      if (row === undefined) throw new Error('take returned no row');
      const askedAt = Number(row.asked_at);
      const resetAt = slidingMs === null ? nextMidnight(askedAt) : Number(row.oldest) + slidingMs;
      return { taken: row.granted, used: row.used, resetMs: resetAt - askedAt };
    },

    /** Deletes up to `limit` scopes that nobody asked about for two days, and so hold nothing that counts. */
    async deleteIdle(limit: number): Promise<number> {
      const rows = await rowsOf<{ scope: string }>(handle, DELETE_IDLE, [limit]);
      return rows.length;
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
  insert into rate_limit_windows as w (scope, hits, granted, asked_at)
  select ?, array_fill(ms, array[n]), n, ms
  from (select ${clockMs()} ms, least(?::int, ?::int) n) clock
  on conflict (scope) do update set (hits, granted, asked_at) = (
    select live || array_fill(ms, array[room]), room, ms
    from (select ?::bigint sliding_ms, ?::int max, ?::int requests) asked,
    lateral (select ms, array(
        select hit from unnest(w.hits) with ordinality hits (hit, n)
        where hit > coalesce(ms - sliding_ms, ms - ms % ${DAY_MS} - 1) order by n) live
      from (select ${clockMs()} ms) clock) counted,
    lateral (select least(requests, greatest(0, max - cardinality(live))) room) rest)
  returning granted, cardinality(hits) used, hits[greatest(1, cardinality(hits) - ?::int + 1)] oldest, asked_at`;

/** Volatile, and so evaluated once where it stands. */
function clockMs(): string {
  return '(extract(epoch from clock_timestamp()) * 1000)::bigint';
}

/** Whoever asks in this moment is not waited for: the row is in use after all. */
const DELETE_IDLE = `
  delete from rate_limit_windows where scope in (
    select scope from rate_limit_windows where asked_at < ${clockMs()} - ${2 * DAY_MS}
    limit ? for update skip locked)
  returning scope`;
