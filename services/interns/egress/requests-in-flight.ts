/** Limits how many requests of one intern are in flight at once. */
import { AppError } from '../../../domain/errors.ts';

/** The largest number of requests in flight for one intern in this process. Each may take five minutes. */
const MAX_IN_FLIGHT = 64;

/** Counts the requests in flight for each intern. */
export function createRequestsInFlight() {
  const counts = new Map<string, number>();
  return {
    /**
     * Counts one more request until the returned function is called. Throws 429 when the intern has too many already.
     */
    enter(internId: string): () => void {
      const count = counts.get(internId) ?? 0;
      if (count === MAX_IN_FLIGHT) {
        throw new AppError('rate_limited', { reason: 'too_many_requests_under_way', retryAfterSeconds: 1 });
      }
      counts.set(internId, count + 1);
      let hasLeft = false;
      return () => {
        if (hasLeft) return;
        hasLeft = true;
        const left = counts.get(internId)! - 1;
        if (left === 0) counts.delete(internId);
        else counts.set(internId, left);
      };
    },
  };
}
