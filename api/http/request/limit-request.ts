/** Limits how many requests a caller may send, and how many may be in flight. */
import type { ServerResponse } from 'node:http';
import { AppError } from '../../../domain/errors.ts';
import type { Principal } from '../../../domain/principal.ts';
import { rateHeaders, secondsUntilReset } from '../../../services/rate-limits/rate-headers.ts';
import type { RateVerdict } from '../../../services/rate-limits/rate-limiter.ts';
import type { RequestsInFlight } from '../../../services/rate-limits/requests-in-flight.ts';
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

/**
 * Counts the request until its answer has ended or the caller has disconnected. Throws 429 when the key or its
 * organization has too many requests in flight.
 */
export function countInFlight(
  response: ServerResponse,
  requests: RequestsInFlight,
  principal: Principal,
): void {
  // A closed response emits no further `close` event, so its request would count for the life of the process.
  if (response.destroyed) throw new AppError('client_cancelled');
  response.once('close', requests.enter(principal));
}
