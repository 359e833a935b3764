/** Discards the rest of request bodies that were refused. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';

/** The longest time for which the rest of a refused body is read, and the longest in which nothing of it arrives. */
const DISCARD_MS = 10_000;
const SILENCE_MS = 2_000;

/**
 * Discards the rest of a body that is refused, for up to ten seconds, and as long as it arrives. Many clients read the
 * answer only after they have written the whole body. They would not see the answer if the connection closed earlier.
 */
export async function discardRest(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(), SILENCE_MS);
  request.on('data', () => timer.refresh()).resume();
  // The waiting also ends when the client disconnects or the time is up.
  const signal = AbortSignal.any([silent.signal, AbortSignal.timeout(DISCARD_MS)]);
  await once(request, 'end', { signal }).catch(() => {});
  clearTimeout(timer);
}
