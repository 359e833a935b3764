/** Implements the delivery of generations to observability destinations as a Temporal activity. */
import { Context } from '@temporalio/activity';
import {
  type PumpDeps,
  type PumpReport,
  type PumpResult,
  type PumpTimes,
} from '../services/broadcast/pump/pump-types.ts';
import { runPump } from '../services/broadcast/pump/run-pump.ts';
import type { StopSignals } from './stop-signals.ts';
import { heartbeatDuring } from './wrap-activities.ts';

export interface BroadcastActivityDeps {
  pump: PumpDeps;
  times: PumpTimes;
}

/** Creates the activity that delivers generations to a destination. */
export function createBroadcastActivities({ pump, times }: BroadcastActivityDeps, stop: StopSignals) {
  return {
    /**
     * Runs a pump. Each heartbeat reports the pump's current step, how much it has delivered, and how many generations
     * wait.
     */
    async pumpDestination(destinationId: string): Promise<PumpResult> {
      let latest: PumpReport = { doing: 'begins', delivered: 0, behind: 0 };
      const report = (now: PumpReport): void => {
        latest = now;
      };
      const stopRequested = AbortSignal.any([stop.requested, Context.current().cancellationSignal]);
      const signals = { stopRequested, cut: stop.graceOver, report };
      return heartbeatDuring(
        () => runPump(pump, destinationId, times, signals),
        () => latest,
      );
    },
  };
}

export type BroadcastActivities = ReturnType<typeof createBroadcastActivities>;
