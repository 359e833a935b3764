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

export interface BroadcastActivityDeps {
  pump: PumpDeps;
  times: PumpTimes;
}

/** The interval of heartbeats. Several fit into the heartbeat timeout of workflows/activity-options.ts. */
const HEARTBEAT_EVERY_MS = 3_000;

/** Creates the activity that delivers generations to a destination. */
export function createBroadcastActivities({ pump, times }: BroadcastActivityDeps, stop: StopSignals) {
  return {
    /**
     * Runs a pump. Each heartbeat reports the pump's current step, how much it has delivered, and how many generations
     * wait.
     */
    async pumpDestination(destinationId: string): Promise<PumpResult> {
      const context = Context.current();
      let latest: PumpReport = { doing: 'begins', delivered: 0, behind: 0 };
      const timer = setInterval(() => context.heartbeat(latest), HEARTBEAT_EVERY_MS);
      const report = (now: PumpReport): void => {
        latest = now;
      };
      const stopRequested = AbortSignal.any([stop.requested, context.cancellationSignal]);
      try {
        return await runPump(pump, destinationId, times, { stopRequested, cut: stop.graceOver, report });
      } finally {
        clearInterval(timer);
      }
    },
  };
}

export type BroadcastActivities = ReturnType<typeof createBroadcastActivities>;
