/** Applies the rate limit of a key, or the deployment's usual one, to requests for generations. */
import type { Principal } from '../../domain/principal.ts';
import type { RateLimiter, RateVerdict } from './rate-limiter.ts';

/** The number of requests that are allowed in any interval of this length. */
export interface RateLimit {
  requests: number;
  intervalMs: number;
}

export interface GenerationRateOptions {
  limiter: RateLimiter;
  /** The limit of keys without their own limit. When undefined, these keys have none. */
  requests: number | undefined;
  intervalMs: number;
}

/** Limits how often a key may call all generation operations together. */
export function createGenerationRate({
  limiter,
  requests: defaultRequests,
  intervalMs,
}: GenerationRateOptions) {
  const requestsOf = ({ rateLimitRequests }: Pick<Principal, 'rateLimitRequests'>): number | undefined =>
    rateLimitRequests ?? defaultRequests;
  return {
    /** Returns the limit of a key; undefined for a key that is not limited. */
    limitOf(key: Pick<Principal, 'rateLimitRequests'>): RateLimit | undefined {
      const requests = requestsOf(key);
      return requests === undefined ? undefined : { requests, intervalMs };
    },
    /**
     * Counts a request. For a key without a limit, returns undefined at once, not a promise. See `RateLimiter` for the
     * rest.
     */
    take(principal: Principal): Promise<RateVerdict | undefined> | undefined {
      const max = requestsOf(principal);
      if (max === undefined) return undefined;
      const scope = `generation:key:${principal.keyId}`;
      return limiter.take({ scope, max, window: { kind: 'sliding', ms: intervalMs } });
    },
  };
}

export type GenerationRate = ReturnType<typeof createGenerationRate>;
