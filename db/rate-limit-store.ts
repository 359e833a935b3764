/** Counts requests of rate limits exactly, in one row for each scope. */
import type { Handle } from './postgres/connection.ts';
import { oneRow } from './postgres/results.ts';
import { int4, int8 } from './postgres/shape.ts';
import { run } from './postgres/statement.ts';

export interface RateQuery {
  /** Identifies the caller and the kind of requests; requests of one scope are counted together. */
  scope: string;
  /** The largest number of requests in the window; at least 1. */
  max: number;
  /** The time for which a request counts, at most a day, or until midnight UTC. */
  window: { kind: 'sliding'; ms: number } | { kind: 'utc_day' };
}

export interface RateAnswer {
  /** The number of these requests that are allowed and count. */
  granted: number;
  /** The number of requests that count now, including these. */
  used: number;
  /** The time until the oldest of these requests stops counting. */
  resetMs: number;
}

/** Counts requests exactly, over all processes, by the clock of Postgres. */
export function createRateLimitStore(handle: Handle) {
  return {
    /** Counts several requests in one statement. Statements of one scope wait for each other. */
    async take({ scope, max, window }: RateQuery, requests: number): Promise<RateAnswer> {
      const slidingMs = window.kind === 'sliding' ? window.ms : null;
      const values = { scope, requests, max, slidingMs };
      const row = await oneRow(handle, TAKEN, TAKE, values);
      const nowMs = Number(row.askedAt);
      const resetAt = slidingMs === null ? nextMidnight(nowMs) : Number(row.oldest) + slidingMs;
      return { granted: row.granted, used: row.used, resetMs: resetAt - nowMs };
    },

    /** Makes the newest request of a scope count no longer, such as an attempt that turned out to be right. */
    async giveBack(scope: string): Promise<void> {
      await run(handle, GIVE_BACK, { scope });
    },

    /** Deletes up to `limit` scopes that had no request for two days. Their requests no longer count. */
    deleteIdle: (limit: number): Promise<number> => run(handle, DELETE_IDLE, { limit }),
  };
}

export type RateLimitStore = ReturnType<typeof createRateLimitStore>;

const DAY_MS = 86_400_000;

function nextMidnight(atMs: number): number {
  return atMs - (atMs % DAY_MS) + DAY_MS;
}

const TAKEN = { granted: int4, used: int4, oldest: int8, askedAt: int8 };
/**
 * Counts requests. Postgres locks the row before it evaluates the expressions, so they see the previous commit. The
 * clock is read once after the lock, which keeps the list sorted; `now()` would be a time before the wait.
 */
const TAKE = `
  insert into rate_limit_windows as w (scope, hits, granted, asked_at)
  select :scope, array_fill(ms, array[n]), n, ms
  from (select ${clockMs()} ms, least(:requests::int, :max::int) n) clock
  on conflict (scope) do update set (hits, granted, asked_at) = (
    select live || array_fill(ms, array[room]), room, ms
    from (select :slidingMs::bigint sliding_ms, :max::int max, :requests::int requests) requested,
    lateral (select ms, array(
        select hit from unnest(w.hits) with ordinality hits (hit, n)
        where hit > coalesce(ms - sliding_ms, ms - ms % ${DAY_MS} - 1) order by n) live
      from (select ${clockMs()} ms) clock) counted,
    lateral (select least(requests, greatest(0, max - cardinality(live))) room) rest)
  returning granted, cardinality(hits) used, hits[greatest(1, cardinality(hits) - :max::int + 1)] oldest,
    asked_at "askedAt"`;

/**
 * Returns SQL that reads the clock. Its function is volatile, so Postgres evaluates it at its place in the statement.
 */
function clockMs(): string {
  return '(extract(epoch from clock_timestamp()) * 1000)::bigint';
}

const GIVE_BACK = `
  update rate_limit_windows set hits = hits[1:cardinality(hits) - 1] where scope = :scope`;

/** Deletes idle scopes. Locked rows are skipped, since they are in use. */
const DELETE_IDLE = `
  delete from rate_limit_windows where scope in (
    select scope from rate_limit_windows where asked_at < ${clockMs()} - ${2 * DAY_MS}
    limit :limit for update skip locked)`;
