import { AppError } from '../../../domain/errors.ts';
import { rateHeaders, secondsUntilReset } from '../../../services/rate-limits/rate-headers.ts';
import type { RateVerdict } from '../../../services/rate-limits/rate-limiter.ts';
import type { ApiContext } from '../context.ts';

/**
 * Sets the headers that show the caller's rate limit in this answer, errors included. Throws a 429 if the limit is
 * exceeded.
 */
export function limitRate(ctx: ApiContext, verdict: RateVerdict): void {
  ctx.set(rateHeaders(verdict));
  if (!verdict.isAllowed) {
    throw new AppError('rate_limited', { retryAfterSeconds: secondsUntilReset(verdict.resetMs) });
  }
}
