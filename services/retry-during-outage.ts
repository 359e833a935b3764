/** Keeps results that only this process has from being lost in a short outage of Postgres. */
import { setTimeout as delay } from 'node:timers/promises';
import { isOutage } from '../db/postgres/outage.ts';

/**
 * The longest submission and these retries together fit into one attempt of the activity
 * (workflows/activity-options.ts).
 */
const TIMEOUT_MS = 45_000;
const RETRY_MS = 1_000;

/**
 * Retries a write during an outage of Postgres. The write holds something that only this process has, such as a
 * vendor's answer. It must be idempotent, because a write without an answer may have had an effect. The signal ends the
 * retries when the process stops.
 */
export async function retryDuringOutage<T>(write: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const giveUpAtMs = Date.now() + TIMEOUT_MS;
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isOutage(error) || signal.aborted || Date.now() >= giveUpAtMs) throw error;
    }
    await delay(RETRY_MS);
  }
}
