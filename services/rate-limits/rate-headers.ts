import type { RateVerdict } from './rate-limiter.ts';

/** Returns the headers that tell a caller where it stands with a rate limit. */
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

/** Never too early. */
export function secondsUntilReset(resetMs: number): number {
  return Math.ceil(resetMs / 1_000);
}
