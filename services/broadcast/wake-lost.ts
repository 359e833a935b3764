/** Resumes deliveries to destinations whose signal or workflow run was lost. */
import type { WakableDestination, WakeStore } from '../../db/broadcast/wake-store.ts';
import type { Logger } from '../../platform/logger.ts';
import type { RunStarter } from '../runs/run-starter.ts';

export interface WakeLostDeps {
  store: Pick<WakeStore, 'idle' | 'silent'>;
  runs: Pick<RunStarter, 'nudgeBroadcast' | 'wakeBroadcast'>;
  logger: Pick<Logger, 'error'>;
}

/** The time without an update after which a pump's run counts as lost. */
const SILENT_MS = 2 * 60_000;
const PAGE = 200;

/**
 * Wakes destinations whose signal was lost, and starts new runs where the run does not exist any more. Returns the
 * number of destinations. A signal to a run that still exists does no harm. Ends after the current destination when the
 * signal aborts or the time is over.
 */
export async function wakeLostDestinations(
  { store, runs, logger }: WakeLostDeps,
  { limitMs, signal }: { limitMs: number; signal: AbortSignal | undefined },
): Promise<number> {
  const untilMs = Date.now() + limitMs;
  const wakeEach = async (
    found: readonly WakableDestination[],
    wake: (input: WakableDestination) => Promise<void>,
  ): Promise<number> => {
    let woken = 0;
    for (const input of found) {
      if (Date.now() > untilMs || signal?.aborted === true) break;
      try {
        await wake(input);
        woken += 1;
      } catch (error) {
        const { destinationId } = input;
        logger.error(
          { err: error, destinationId },
          'a destination was not woken; the next sweep tries again',
        );
      }
    }
    return woken;
  };
  const nudged = await wakeEach(await store.idle(PAGE), (input) => runs.nudgeBroadcast(input));
  return nudged + (await wakeEach(await store.silent(SILENT_MS, PAGE), (input) => runs.wakeBroadcast(input)));
}
