import { AppError } from '../../../domain/errors.ts';
import { rateHeaders, secondsUntilReset } from '../../../services/rate-limits/rate-headers.ts';
import type { RateVerdict } from '../../../services/rate-limits/rate-limiter.ts';
import type { ApiContext } from '../context.ts';

/**
 * Tells the caller where it stands, in headers that every answer from here on carries, and refuses with 429 what is
 * over the limit.
 */
export function limitRate(ctx: ApiContext, verdict: RateVerdict): void {
  ctx.set(rateHeaders(verdict));
  if (!verdict.isAllowed) {
    throw new AppError('rate_limited', { retryAfterSeconds: secondsUntilReset(verdict.resetMs) });
  }
}
