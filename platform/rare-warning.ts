/** Logs a warning that callers can cause as often as they like, but not for each of them. */
import type { Logger } from './logger.ts';

const EVERY_MS = 60_000;

/** Returns a function that logs the warning with the given facts, at most once a minute. */
export function createRareWarning(logger: Pick<Logger, 'warn'>, message: string): (facts: object) => void {
  let nextAtMs = -Infinity;
  return (facts) => {
    const nowMs = performance.now();
    if (nowMs < nextAtMs) return;
    nextAtMs = nowMs + EVERY_MS;
    logger.warn(facts, message);
  };
}
