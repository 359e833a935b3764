import { setTimeout as delay } from 'node:timers/promises';

const CHECK_EVERY_MS = 100;
/** Less than the time of a test. On a busy machine, statistics rest for a minute between two readings. */
const PATIENCE_MS = 200_000;

/** Looks until there is something to see, for things that another process or workflow brings about. */
export async function eventually<T>(
  what: string,
  check: () => Promise<T | undefined | null>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    const seen = await check();
    if (seen !== undefined && seen !== null) return seen;
    if (Date.now() > giveUpAt) throw new Error(`gave up waiting for ${what}`);
    await delay(CHECK_EVERY_MS);
  }
}
