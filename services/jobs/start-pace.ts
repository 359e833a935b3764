import { setTimeout as delay } from 'node:timers/promises';
import type { SweepStore } from '../../db/sweep-store.ts';

/** Shared by the API's starter and the worker's sweep of one process. */
export interface StartPace {
  /** Resolves when one more start is in order. */
  take(): Promise<void>;
}

export interface StartPaceOptions {
  store: Pick<SweepStore, 'countUnclaimed'>;
  /** The slowed rate. */
  startsPerSecond: number;
  /** Started jobs that wait for a worker before starts are slowed. */
  unclaimedThreshold?: number;
  now?: () => number;
  sleep?: (ms: number) => Promise<unknown>;
}

const LOOK_EVERY_MS = 1_000;

/**
 * Lets starts pass freely while workers keep up, and slows them to `startsPerSecond` while many started jobs
 * wait unclaimed: unbounded starts were measured to starve the jobs that run. Every process asks the same
 * rows, so the API and the sweep slow down together.
 */
export function createStartPace(options: StartPaceOptions): StartPace {
  const { now = Date.now, sleep = delay } = options;
  const threshold = options.unclaimedThreshold ?? 100;
  let slowed = false;
  let lookedAtMs = -Infinity;
  let looking: Promise<void> | undefined;
  let nextSlotMs = 0;

  const look = async (): Promise<void> => {
    lookedAtMs = now();
    slowed = (await options.store.countUnclaimed(threshold)) >= threshold;
  };

  return {
    async take() {
      if (now() - lookedAtMs >= LOOK_EVERY_MS) {
        looking ??= look().finally(() => {
          looking = undefined;
        });
      }
      await looking;
      if (!slowed) return;
      const slotMs = Math.max(now(), nextSlotMs);
      nextSlotMs = slotMs + 1_000 / options.startsPerSecond;
      if (slotMs > now()) await sleep(slotMs - now());
    },
  };
}
