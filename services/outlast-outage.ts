import { setTimeout as delay } from 'node:timers/promises';
import { isOutage } from '../db/outage.ts';

/** With the longest submission before it, still within one attempt of the activity (workflows/activity-options.ts). */
const PATIENCE_MS = 45_000;
const EVERY_MS = 1_000;

/**
 * Writes down what only this process knows, such as a vendor's answer, and tries again while Postgres is away:
 * a next attempt would not have it. The write must be one that may be made twice, for what an unanswered one
 * did nobody knows. Stops trying when the signal says that the process ends.
 */
export async function outlastOutage<T>(write: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const giveUpAtMs = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isOutage(error) || signal.aborted || Date.now() >= giveUpAtMs) throw error;
    }
    await delay(EVERY_MS);
  }
}
