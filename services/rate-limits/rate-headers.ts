import type { RateVerdict } from './rate-limiter.ts';

/** Returns the headers that describe how much of a rate limit a caller has left. */
export function rateHeaders({
  limit,
  remaining,
  resetMs,
}: Omit<RateVerdict, 'isAllowed'>): Record<string, string> {
  return {
    'ratelimit-limit': `${limit}`,
    'ratelimit-remaining': `${remaining}`,
    'ratelimit-reset': `${secondsUntilReset(resetMs)}`,
  };
}

/** Returns the seconds until the reset, rounded up so that a client never retries too early. */
export function secondsUntilReset(resetMs: number): number {
  return Math.ceil(resetMs / 1_000);
}
