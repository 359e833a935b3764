import type { RateLimiter, RateVerdict } from './rate-limiter.ts';

/** How often proofs are signed for one intern, by all keys together. */
export interface InternRate {
  /** Undefined, at once and without a promise, where the deployment has no rate limit. */
  take(internId: string): Promise<RateVerdict | undefined> | undefined;
}

export interface InternRateOptions {
  limiter: RateLimiter;
  /** Undefined: there is no limit. */
  requests: number | undefined;
  intervalMs: number;
}

export function createInternRate({ limiter, requests: max, intervalMs }: InternRateOptions): InternRate {
  return {
    take(internId) {
      if (max === undefined) return undefined;
      const scope = `daemon:intern:${internId}`;
      return limiter.take({ scope, max, window: { kind: 'sliding', ms: intervalMs } });
    },
  };
}
