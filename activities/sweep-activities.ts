/** Runs the sweep, which finds and continues lost work, as a Temporal activity. */
import { Context } from '@temporalio/activity';
import { sweepRepeatedly, type RepeatedSweepReport } from '../services/sweep/sweep-repeatedly.ts';
import { sweep, type SweepDeps } from '../services/sweep/sweep.ts';
import { retryLaterFailure } from './to-application-failure.ts';

export interface SweepActivityDeps {
  sweep: SweepDeps;
  /** The wait between two sweeps of this worker, in milliseconds. */
  intervalMs: number;
}

/** The limit of one sweep, above the time that all its queries may take together (services/sweep/sweep.ts). */
const SWEEP_LIMIT_MS = 120_000;

/** Creates the activities of `keepSweeping`. `stopRequested` aborts when this worker begins to stop. */
export function createSweepActivities(
  { sweep: deps, intervalMs }: SweepActivityDeps,
  stopRequested: AbortSignal,
) {
  return {
    /**
     * Sweeps for `forMs`. Ends when its run is cancelled or terminated. Fails when this worker begins to stop, so that
     * Temporal retries it on another worker.
     */
    async sweepRepeatedly(forMs: number): Promise<RepeatedSweepReport> {
      try {
        return await sweepRepeatedly({
          sweepOnce: (signal) => sweep(deps, signal),
          intervalMs,
          limitMs: SWEEP_LIMIT_MS,
          forMs,
          signal: AbortSignal.any([Context.current().cancellationSignal, stopRequested]),
          logger: deps.logger,
        });
      } catch (error) {
        if (!stopRequested.aborted || error !== stopRequested.reason) throw error;
        throw retryLaterFailure('this worker stops; another one continues the sweep');
      }
    },
  };
}

export type SweepActivities = ReturnType<typeof createSweepActivities>;
