import { setTimeout as delay } from 'node:timers/promises';
import type { SweepStore } from '../../db/sweep-store.ts';

/** Shared by all that starts workflows in one process: the API's starter, or the worker's sweep. */
export interface StartPace {
  /** True when one more start is in order; false when it was not within the patience, which has no end by default. */
  take(patienceMs?: number): Promise<boolean>;
}

export interface StartPaceOptions {
  store: Pick<SweepStore, 'waitingForClaim'>;
  /** At most, while workers are slow to claim. */
  startsPerSecond: number;
  now?: () => number;
  sleep?: (ms: number) => Promise<unknown>;
}

const LOOK_EVERY_MS = 250;
/** A worker that keeps up claims a started job in a tenth of this. */
const SLOW_CLAIM_MS = 500;
/** Whoever has waited longer will not be claimed: its run is lost, and the sweep's business. */
const LOST_AFTER_MS = 30_000;
const FIRST_WINDOW = 10;
const LARGEST_WINDOW = 500;

/**
 * Lets starts pass as workers claim what was started: unbounded starts were measured to starve the jobs that
 * run. The window, how many started jobs may wait for their claim, doubles while claims are quick and halves
 * while they are slow, as TCP's does. Every process asks the same rows, so that the API and the sweep slow down
 * together. One start each look always passes: what is stuck must not hold up the rest.
 */
export function createStartPace(options: StartPaceOptions): StartPace {
  const { now = Date.now, sleep = delay } = options;
  const mostWhileSlow = Math.max(1, Math.floor((options.startsPerSecond * LOOK_EVERY_MS) / 1_000));
  let window = FIRST_WINDOW;
  let passes = 0;
  let lookedAtMs = -Infinity;
  let looking: Promise<void> | undefined;

  const look = async (): Promise<void> => {
    // A window from an earlier burst says nothing about this one.
    if (now() - lookedAtMs > 20 * LOOK_EVERY_MS) window = FIRST_WINDOW;
    lookedAtMs = now();
    const { count, oldestMs } = await options.store.waitingForClaim(LOST_AFTER_MS, LARGEST_WINDOW);
    const isSlow = oldestMs > SLOW_CLAIM_MS;
    window = isSlow ? Math.max(1, Math.floor(window / 2)) : Math.min(LARGEST_WINDOW, window * 2);
    passes = Math.max(1, Math.min(window - count, isSlow ? mostWhileSlow : LARGEST_WINDOW));
  };

  return {
    async take(patienceMs = Infinity) {
      const untilMs = now() + patienceMs;
      for (;;) {
        if (now() - lookedAtMs >= LOOK_EVERY_MS) {
          looking ??= look().finally(() => {
            looking = undefined;
          });
        }
        await looking;
        if (passes > 0) {
          passes -= 1;
          return true;
        }
        const waitMs = Math.max(1, lookedAtMs + LOOK_EVERY_MS - now());
        if (now() + waitMs > untilMs) return false;
        await sleep(waitMs);
      }
    },
  };
}
