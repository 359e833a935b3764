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
 *
 * The organizations whose jobs wait share the window equally, and each has a place for one job at least. A job
 * therefore never waits for the queue of another organization.
 */
export function createStartPace(options: StartPaceOptions) {
  const { now = Date.now, sleep = delay } = options;
  const window = createWindow(options);
  let checkedAtMs = -Infinity;
  let passedAtMs = -Infinity;
  let checking: Promise<void> | undefined;

  /** Returns the first organization that may start a job now. */
  const admitted = (organizationIds: readonly string[]): string | undefined => {
    const [next] = organizationIds;
    const mayPass = window.firstWithPlace(organizationIds);
    return mayPass ?? (now() - passedAtMs >= ONE_PASSES_EVERY_MS ? next : undefined);
  };

  return {
    /**
     * Returns the first of the organizations that may start one more job, or undefined when none may within
     * `maxWaitMs`. Reads the organizations again after each wait. The default wait is unlimited.
     */
    async take(organizationIds: () => readonly string[], maxWaitMs = Infinity): Promise<string | undefined> {
      const untilMs = now() + maxWaitMs;
      for (;;) {
        if (now() - checkedAtMs >= CHECK_EVERY_MS) {
          checking ??= window.check(now() - checkedAtMs).finally(() => {
            checking = undefined;
          });
          checkedAtMs = now();
        }
        await checking;
        const organizationId = admitted(organizationIds());
        if (organizationId !== undefined) {
          passedAtMs = now();
          window.occupy(organizationId);
          return organizationId;
        }
        const waitMs = Math.max(1, checkedAtMs + CHECK_EVERY_MS - now());
        if (now() + waitMs > untilMs) return undefined;
        await sleep(waitMs);
      }
    },
  };
}

/** Limits the starts of workflows in one process: by the API's starter, or by the worker's sweep. */
export type StartPace = ReturnType<typeof createStartPace>;

/** Creates the window of started jobs that wait for their claim. */
function createWindow({
  store,
  slowClaimMs,
  startsPerSecond = STARTS_PER_SECOND,
  now = Date.now,
}: StartPaceOptions) {
  const mostWhileSlow = Math.max(1, Math.floor((startsPerSecond * CHECK_EVERY_MS) / 1_000));
  let size = FIRST_WINDOW;
  let grownAtMs = -Infinity;
  /** The number of starts until the next check. */
  let left = 0;
  let started = new Map<string, number>();
  let waiting = new Set<string>();

  return {
    async check(sinceMs: number): Promise<void> {
      // Begin with a small window again, because the old one fitted an earlier burst.
      if (sinceMs > 20 * CHECK_EVERY_MS) size = FIRST_WINDOW / 2;
      const claims = await store.waitingForClaim(LOST_AFTER_MS, LARGEST_WINDOW);
      const isSlow = claims.oldestMs > slowClaimMs;
      if (isSlow) size = Math.max(1, Math.floor(size / 2));
      else if (now() - grownAtMs >= GROWS_EVERY_MS) {
        size = Math.min(LARGEST_WINDOW, size * 2);
        grownAtMs = now();
      }
      left = isSlow ? mostWhileSlow : LARGEST_WINDOW;
      started = claims.started;
      waiting = new Set(claims.undispatched);
    },
    firstWithPlace(organizationIds: readonly string[]): string | undefined {
      if (left === 0) return undefined;
      const sharing = new Set([...started.keys(), ...waiting, ...organizationIds]).size;
      const share = Math.max(1, Math.floor(size / sharing));
      return organizationIds.find((id) => (started.get(id) ?? 0) < share);
    },
    occupy(organizationId: string): void {
      left = Math.max(0, left - 1);
      started.set(organizationId, (started.get(organizationId) ?? 0) + 1);
    },
  };
}
