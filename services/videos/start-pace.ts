/** Adapts the rate at which workflows of video jobs start to the speed of the workers. */
import { setTimeout as delay } from 'node:timers/promises';
import type { SweepStore } from '../../db/videos/sweep-store.ts';

export interface StartPaceOptions {
  store: Pick<SweepStore, 'waitingForClaim'>;
  /** The time until a worker claims a job, above which workers count as busy. */
  slowClaimMs: number;
  /** The largest number of starts per second while claims are slow; only tests set it. */
  startsPerSecond?: number;
  now?: () => number;
  sleep?: (ms: number) => Promise<unknown>;
}

const STARTS_PER_SECOND = 50;
const CHECK_EVERY_MS = 250;
/** The age above which a start without a claim no longer counts. Its run is lost, and the sweep will replace it. */
const LOST_AFTER_MS = 30_000;
const FIRST_WINDOW = 2;
const LARGEST_WINDOW = 500;
/** The time between two increases of the window, so that the claims reflect the last increase. */
const GROWS_EVERY_MS = 1_000;
/** The interval at which one start always proceeds, so that stuck claims do not hold up the rest. */
const ONE_PASSES_EVERY_MS = 1_000;

/**
 * Lets starts proceed as workers claim earlier ones; in measurements, unbounded starts starved running jobs. The
 * window is the number of started jobs that may wait for their claim. It doubles each second while claims are quick
 * and halves while they are slow, like TCP's. Every process reads the same rows, so API and sweep slow down together.
 */
export function createStartPace(options: StartPaceOptions) {
  const { startsPerSecond = STARTS_PER_SECOND, now = Date.now, sleep = delay } = options;
  const mostWhileSlow = Math.max(1, Math.floor((startsPerSecond * CHECK_EVERY_MS) / 1_000));
  let window = FIRST_WINDOW;
  let passes = 0;
  let checkedAtMs = -Infinity;
  let passedAtMs = -Infinity;
  let grownAtMs = -Infinity;
  let checking: Promise<void> | undefined;

  const check = async (): Promise<void> => {
    // Begin with a small window again, because the old one fitted an earlier burst.
    if (now() - checkedAtMs > 20 * CHECK_EVERY_MS) window = FIRST_WINDOW / 2;
    checkedAtMs = now();
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
    /**
     * Returns true when one more start may proceed, and false when none may within `maxWaitMs`. The default wait is
     * unlimited.
     */
    async take(maxWaitMs = Infinity): Promise<boolean> {
      const untilMs = now() + maxWaitMs;
      for (;;) {
        if (now() - checkedAtMs >= CHECK_EVERY_MS) {
          checking ??= check().finally(() => {
            checking = undefined;
          });
        }
        await checking;
        if (passes > 0) {
          passes -= 1;
          passedAtMs = now();
          return true;
        }
        const waitMs = Math.max(1, checkedAtMs + CHECK_EVERY_MS - now());
        if (now() + waitMs > untilMs) return false;
        await sleep(waitMs);
      }
    },
  };
}

/** Limits the starts of workflows in one process: by the API's starter, or by the worker's sweep. */
export type StartPace = ReturnType<typeof createStartPace>;
