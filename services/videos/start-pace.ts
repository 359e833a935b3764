import { setTimeout as delay } from 'node:timers/promises';
import type { SweepStore } from '../../db/videos/sweep-store.ts';

/** Shared by all that starts workflows in one process: the API's starter, or the worker's sweep. */
export interface StartPace {
  /** True when one more start is in order; false when it was not within the patience, which has no end by default. */
  take(patienceMs?: number): Promise<boolean>;
}

export interface StartPaceOptions {
  store: Pick<SweepStore, 'waitingForClaim'>;
  /** A claim that takes longer shows that workers have enough to do. */
  slowClaimMs: number;
  /** At most, while claims are slow; only tests set it. */
  startsPerSecond?: number;
  now?: () => number;
  sleep?: (ms: number) => Promise<unknown>;
}

const STARTS_PER_SECOND = 50;
const LOOK_EVERY_MS = 250;
/** Whoever has waited longer will not be claimed: its run is lost, and the sweep's business. */
const LOST_AFTER_MS = 30_000;
const FIRST_WINDOW = 2;
const LARGEST_WINDOW = 500;
/** What was started must have time to show in the claims. */
const GROWS_EVERY_MS = 1_000;
/** What is stuck must not hold up the rest: one start passes in any case, so often. */
const ONE_PASSES_EVERY_MS = 1_000;

/**
 * Lets starts pass as workers claim what was started: unbounded starts were measured to starve the jobs that
 * run. The window, how many started jobs may wait for their claim, doubles each second while claims are quick
 * and halves while they are slow, much as TCP's does. Every process asks the same rows, so that the API and the
 * sweep slow down together.
 */
export function createStartPace(options: StartPaceOptions): StartPace {
  const { startsPerSecond = STARTS_PER_SECOND, now = Date.now, sleep = delay } = options;
  const mostWhileSlow = Math.max(1, Math.floor((startsPerSecond * LOOK_EVERY_MS) / 1_000));
  let window = FIRST_WINDOW;
  let passes = 0;
  let lookedAtMs = -Infinity;
  let passedAtMs = -Infinity;
  let grownAtMs = -Infinity;
  let looking: Promise<void> | undefined;

  const look = async (): Promise<void> => {
    // A window from an earlier burst says nothing about this one.
    if (now() - lookedAtMs > 20 * LOOK_EVERY_MS) window = FIRST_WINDOW / 2;
    lookedAtMs = now();
    const { count, oldestMs } = await options.store.waitingForClaim(LOST_AFTER_MS, LARGEST_WINDOW);
    const isSlow = oldestMs > options.slowClaimMs;
    if (isSlow) window = Math.max(1, Math.floor(window / 2));
    else if (now() - grownAtMs >= GROWS_EVERY_MS) {
      window = Math.min(LARGEST_WINDOW, window * 2);
      grownAtMs = now();
    }
    passes = Math.max(0, Math.min(window - count, isSlow ? mostWhileSlow : LARGEST_WINDOW));
    if (passes === 0 && now() - passedAtMs >= ONE_PASSES_EVERY_MS) passes = 1;
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
          passedAtMs = now();
          return true;
        }
        const waitMs = Math.max(1, lookedAtMs + LOOK_EVERY_MS - now());
        if (now() + waitMs > untilMs) return false;
        await sleep(waitMs);
      }
    },
  };
}
