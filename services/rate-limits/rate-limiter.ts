/** Counts requests against rate limits in Postgres, exactly over all processes and with few statements. */
import { LRUCache } from 'lru-cache';
import { isPostgresDown } from '../../db/postgres/outage.ts';
import type { OutageDetector } from '../../db/postgres/outage-detector.ts';
import type { RateAnswer, RateLimitStore, RateQuery } from '../../db/rate-limit-store.ts';
import type { Logger } from '../../platform/logger.ts';

/** The answer to a rate-limit query, for the caller's headers. */
export interface RateVerdict {
  isAllowed: boolean;
  /** The largest number of requests that may count at the same time. */
  limit: number;
  /** The number of further requests that would be allowed now. */
  remaining: number;
  /** The time until `remaining` grows; for a refusal, until the next request is allowed. */
  resetMs: number;
}

export interface RateLimiterOptions {
  store: Pick<RateLimitStore, 'take'>;
  detector: Pick<OutageDetector, 'run'>;
  logger: Pick<Logger, 'warn'>;
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
}

const MAX_REFUSED = 10_000;

interface Refused {
  max: number;
  untilMs: number;
}

type Waiting = PromiseWithResolvers<RateVerdict | undefined>;

/**
 * Creates the limiter. Each scope has at most one running statement. Requests that arrive meanwhile are counted
 * together by the next one, so a busy key locks its row once for many requests.
 *
 * The limiter caches refusals: no process can allow another request until the oldest one stops counting. So a caller
 * that keeps retrying costs Postgres one query for each refusal period.
 */
export function createRateLimiter(options: RateLimiterOptions) {
  const { store, detector, logger, now = () => performance.now() } = options;
  const refused = new LRUCache<string, Refused>({ max: MAX_REFUSED });
  /** The requests that wait for the next statement, by scope. A scope has an entry while its statement runs. */
  const queues = new Map<string, Waiting[]>();
  let passes = false;

  const knownRefusal = (query: RateQuery): RateVerdict | undefined => findRefusal(refused, query, now());

  /** Queries Postgres, and lets all requests pass while Postgres is unreachable. Throws other errors. */
  const ask = async (query: RateQuery, requests: number): Promise<RateAnswer | undefined> => {
    try {
      const answer = await detector.run(() => store.take(query, requests));
      passes = false;
      return answer;
    } catch (error) {
      if (!isPostgresDown(error)) throw error;
      if (!passes) logger.warn({ err: error }, 'rate limits cannot be asked; requests pass');
      passes = true;
      return undefined;
    }
  };

  const answerAll = async (query: RateQuery, group: Waiting[]): Promise<void> => {
    const { scope, max } = query;
    const known = knownRefusal(query);
    if (known !== undefined) {
      for (const { resolve } of group) resolve(known);
      return;
    }
    const answer = await ask(query, group.length);
    if (answer !== undefined && answer.granted < group.length) {
      refused.set(scope, { max, untilMs: now() + answer.resetMs });
    }
    for (const [place, { resolve }] of group.entries()) resolve(answer && verdictOf(answer, max, place));
  };

  const serve = async (key: string, query: RateQuery, waiting: Waiting[]): Promise<void> => {
    while (waiting.length > 0) {
      const group = waiting.splice(0);
      await answerAll(query, group).catch((error: unknown) => {
        for (const { reject } of group) reject(error);
      });
    }
    queues.delete(key);
  };

  return {
    /**
     * Counts one request and returns whether it is allowed; a refused one does not count. The count is exact over all
     * processes: no window ever has more than `max` allowed requests.
     *
     * Returns undefined while Postgres is unreachable, because requests then pass without a limit. Waits for a slow
     * Postgres, and rejects with its errors.
     */
    take(query: RateQuery): Promise<RateVerdict | undefined> {
      const known = knownRefusal(query);
      if (known !== undefined) return Promise.resolve(known);
      const waiter: Waiting = Promise.withResolvers();
      // The key contains the limit, so that requests under an old and a new limit are counted separately.
      const key = `${query.max} ${query.scope}`;
      const waiting = queues.get(key);
      if (waiting === undefined) {
        const first = [waiter];
        queues.set(key, first);
        void serve(key, query, first);
      } else {
        waiting.push(waiter);
      }
      return waiter.promise;
    },
  };
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

function findRefusal(
  refused: LRUCache<string, Refused>,
  { scope, max }: RateQuery,
  nowMs: number,
): RateVerdict | undefined {
  const known = refused.get(scope);
  if (known?.max !== max || nowMs >= known.untilMs) return undefined;
  return { isAllowed: false, limit: max, remaining: 0, resetMs: known.untilMs - nowMs };
}

/** Returns the verdict for one request of a group that was counted together. */
function verdictOf({ granted, used, resetMs }: RateAnswer, max: number, place: number): RateVerdict {
  const isAllowed = place < granted;
  const usedThen = isAllowed ? used - granted + place + 1 : used;
  return { isAllowed, limit: max, remaining: Math.max(0, max - usedThen), resetMs };
}
