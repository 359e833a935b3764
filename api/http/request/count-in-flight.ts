import type { ServerResponse } from 'node:http';
import { AppError } from '../../../domain/errors.ts';
import type { Principal } from '../../../domain/principal.ts';
import type { RequestsInFlight } from '../../../services/rate-limits/requests-in-flight.ts';

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
