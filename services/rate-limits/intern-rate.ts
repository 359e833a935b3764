/** Limits the rate of requests for proofs of each intern. */
import type { RateLimiter, RateVerdict } from './rate-limiter.ts';

export interface InternRateOptions {
  limiter: RateLimiter;
  /** The largest number of requests. When undefined, there is no limit. */
  requests: number | undefined;
  intervalMs: number;
}

/** Limits the proofs that are signed for one intern, over all keys. */
export function createInternRate({ limiter, requests: max, intervalMs }: InternRateOptions) {
  return {
    /** Counts a request. Returns undefined, without a promise, when the deployment has no rate limit. */
    take(internId: string): Promise<RateVerdict | undefined> | undefined {
      if (max === undefined) return undefined;
      const scope = `daemon:intern:${internId}`;
      return limiter.take({ scope, max, window: { kind: 'sliding', ms: intervalMs } });
    },
  };
}

export type InternRate = ReturnType<typeof createInternRate>;
