import { AppError } from '../../domain/errors.ts';
import type { RateVerdict } from '../../services/rate-limits/rate-limiter.ts';
import type { ApiContext } from '../context.ts';

/**
 * Tells the caller where it stands, in headers that every answer from here on carries, and refuses with 429 what is
 * over the limit.
 */
export function limitRate(ctx: ApiContext, { isAllowed, limit, remaining, resetMs }: RateVerdict): void {
  const resetSeconds = Math.ceil(resetMs / 1_000);
  ctx.set('ratelimit-limit', `${limit}`);
  ctx.set('ratelimit-remaining', `${remaining}`);
  ctx.set('ratelimit-reset', `${resetSeconds}`);
  if (!isAllowed) throw new AppError('rate_limited', { retryAfterSeconds: resetSeconds });
}
