import { LRUCache } from 'lru-cache';
import { isAway } from '../../db/outage.ts';
import type { OutageDetector } from '../../db/outage-detector.ts';
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
   * are more than `max` allowed in any window. Undefined while Postgres cannot be reached, which must stop nobody;
   * one that is slow is waited for, and its failures reject.
   */
  take(question: RateQuestion): Promise<RateVerdict | undefined>;
}

export interface RateLimiterOptions {
  store: Pick<RateLimitStore, 'take'>;
  detector: Pick<OutageDetector, 'ask'>;
  logger: Pick<Logger, 'warn'>;
  /** Milliseconds of a clock that is never set. */
  now?: () => number;
}

const MAX_REFUSED = 10_000;

interface Refused {
  max: number;
  untilMs: number;
}

type Waiting = PromiseWithResolvers<RateVerdict | undefined>;

/**
 * One statement of a scope at a time: what is asked meanwhile goes together into the next, so a busy key costs its
 * row one lock for many requests. Refusals are remembered: until the oldest request stops counting no process can
 * allow another, so whoever hammers at a limit costs Postgres one question per refusal's time.
 */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { store, detector, logger, now = () => performance.now() } = options;
  const refused = new LRUCache<string, Refused>({ max: MAX_REFUSED });
  /** Whose statement is under way, with those who wait for the next. */
  const lines = new Map<string, Waiting[]>();
  let passes = false;

  const knownRefusal = ({ scope, max }: RateQuestion): RateVerdict | undefined => {
    const known = refused.get(scope);
    if (known?.max !== max || now() >= known.untilMs) return undefined;
    return { isAllowed: false, limit: max, remaining: 0, resetMs: known.untilMs - now() };
  };

  /** Whether to pass is the same for all; a mistake of ours is not hidden. */
  const ask = async (question: RateQuestion, requests: number): Promise<RateAnswer | undefined> => {
    try {
      const answer = await detector.ask(() => store.take(question, requests));
      passes = false;
      return answer;
    } catch (error) {
      if (!isAway(error)) throw error;
      if (!passes) logger.warn({ err: error }, 'rate limits cannot be asked; requests pass');
      passes = true;
      return undefined;
    }
  };

  const answerAll = async (question: RateQuestion, group: Waiting[]): Promise<void> => {
    const { scope, max } = question;
    const known = knownRefusal(question);
    if (known !== undefined) {
      for (const { resolve } of group) resolve(known);
      return;
    }
    const answer = await ask(question, group.length);
    if (answer !== undefined && answer.taken < group.length) {
      refused.set(scope, { max, untilMs: now() + answer.resetMs });
    }
    for (const [place, { resolve }] of group.entries()) resolve(answer && verdictOf(answer, max, place));
  };

  const serve = async (line: string, question: RateQuestion, waiting: Waiting[]): Promise<void> => {
    while (waiting.length > 0) {
      const group = waiting.splice(0);
      await answerAll(question, group).catch((error: unknown) => {
        for (const { reject } of group) reject(error);
      });
    }
    lines.delete(line);
  };

  return {
    take(question) {
      const known = knownRefusal(question);
      if (known !== undefined) return Promise.resolve(known);
      const mine: Waiting = Promise.withResolvers();
      // A limit that was changed is another question.
      const line = `${question.max} ${question.scope}`;
      const waiting = lines.get(line);
      if (waiting === undefined) {
        const first = [mine];
        lines.set(line, first);
        void serve(line, question, first);
      } else {
        waiting.push(mine);
      }
      return mine.promise;
    },
  };
}

/** Of the request at this place of those that were asked about together. */
function verdictOf({ taken, used, resetMs }: RateAnswer, max: number, place: number): RateVerdict {
  const isAllowed = place < taken;
  const usedThen = isAllowed ? used - taken + place + 1 : used;
  return { isAllowed, limit: max, remaining: Math.max(0, max - usedThen), resetMs };
}
