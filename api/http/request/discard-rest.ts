/** Discards the rest of request bodies that were refused. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';

/** The longest time for which the rest of a refused body is read. */
const DISCARD_MS = 1_000;

/**
 * Discards the rest of a body that is refused, for up to a second. Many clients read the answer only after they have
 * written the whole body. They would not see the answer if the connection closed earlier.
 */
export async function discardRest(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  request.resume();
  // The waiting also ends when the client disconnects or the time is up.
  await once(request, 'end', { signal: AbortSignal.timeout(DISCARD_MS) }).catch(() => {});
}
