import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { isOutage } from '../../db/outage.ts';
import type { RateAnswer, RateLimitStore, RateQuestion } from '../../db/rate-limit-store.ts';
import type { Logger } from '../../platform/logger.ts';

/** What a caller may be told after every question. */
export interface RateVerdict {
  isAllowed: boolean;
  /** The most that may count at once. */
  limit: number;
  /** How many more would be allowed now. */
  remaining: number;
  /** Until `remaining` grows; of a refusal, until the next is allowed. */
  resetMs: number;
}

export interface RateLimiter {
  /**
   * Counts one request and says whether it is allowed; a refused one does not count. Exact over all processes: never
   * are more than `max` allowed in any window. Undefined when Postgres cannot say, which must stop nobody.
   */
  take(question: RateQuestion): Promise<RateVerdict | undefined>;
}

export interface RateLimiterOptions {
  store: RateLimitStore;
  logger: Pick<Logger, 'warn'>;
  /** Milliseconds of a clock that is never set. */
  now?: () => number;
}

/** How long a request waits for Postgres, and for how long Postgres is then not asked. */
const PATIENCE_MS = 1_000;
const AWAY_MS = 1_000;
const MAX_REFUSED = 10_000;

interface Refused {
  max: number;
  untilMs: number;
}

/**
 * Remembers refusals: until the oldest request stops counting no process can allow another, so whoever hammers at a
 * limit costs Postgres one question per refusal's time and not one per request.
 */
export function createRateLimiter({
  store,
  logger,
  now = () => performance.now(),
}: RateLimiterOptions): RateLimiter {
  const refused = new LRUCache<string, Refused>({ max: MAX_REFUSED });
  let awayUntilMs = -Infinity;
  let isAway = false;

  const giveUp = (error: unknown): undefined => {
    if (!isAway) logger.warn({ err: error }, 'rate limits cannot be asked; requests pass');
    isAway = true;
    awayUntilMs = now() + AWAY_MS;
  };

  return {
    async take(question) {
      const { scope, max } = question;
      const known = refused.get(scope);
      if (known?.max === max && now() < known.untilMs) {
        return { isAllowed: false, limit: max, remaining: 0, resetMs: known.untilMs - now() };
      }
      if (now() < awayUntilMs) return undefined;
      let answer: RateAnswer | 'silence';
      try {
        answer = await withPatience(store.take(question));
      } catch (error) {
        if (!isOutage(error)) throw error;
        return giveUp(error);
      }
      if (answer === 'silence') return giveUp(new Error('Postgres is silent'));
      isAway = false;
      const { taken, used, resetMs } = answer;
      if (!taken) refused.set(scope, { max, untilMs: now() + resetMs });
      return { isAllowed: taken, limit: max, remaining: Math.max(0, max - used), resetMs };
    },
  };
}

/** An outage must not hold every request for as long as a statement may take. */
async function withPatience<Answer>(asked: Promise<Answer>): Promise<Answer | 'silence'> {
  const timer = new AbortController();
  const silence = delay(PATIENCE_MS, 'silence' as const, { signal: timer.signal });
  try {
    return await Promise.race([asked, silence]);
  } finally {
    timer.abort();
    silence.catch(() => {});
    asked.catch(() => {});
  }
}
