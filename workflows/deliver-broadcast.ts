import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { BroadcastActivities } from '../activities/broadcast-activities.ts';
import { type DeliverBroadcastInput, SIGNALS } from '../domain/runs.ts';
import { PUMP_OPTIONS } from './activity-options.ts';
import { showStatus } from './search-attributes.ts';

const { pumpDestination } = proxyActivities<BroadcastActivities>(PUMP_OPTIONS);

/**
 * Sends the generations of a workspace to one destination for as long as there are any, and backs off when the
 * destination fails.
 *
 * A crash loses nothing: the destination's cursors move in the transaction that records a delivered batch, so an
 * attempt that died with its worker repeats at most one batch. The sweep replaces a run that is lost altogether.
 */
export async function deliverBroadcast(input: DeliverBroadcastInput): Promise<{ outcome: string }> {
  let isNudged = false;
  let isChanged = false;
  setHandler(defineSignal(SIGNALS.nudge), () => {
    isNudged = true;
  });
  setHandler(defineSignal(SIGNALS.changed), () => {
    isChanged = true;
  });
  for (;;) {
    isNudged = false;
    isChanged = false;
    showStatus('running');
    setCurrentDetails('Sends new generations as they come.');
    const result = await pumpDestination(input.destinationId);
    if (result.kind === 'back_off') {
      showStatus(result.state);
      const seconds = Math.round(result.waitMs / 1_000);
      setCurrentDetails(
        `${result.reason} Generations that wait: ${result.behind}. Tried again after ${seconds} s, or when the ` +
          'destination is edited.',
      );
      await condition(() => isChanged, result.waitMs);
    }
    // No signal is missed between this test and the end of the run: the server refuses the end while a signal is
    // unhandled.
    const isOver = result.kind === 'idle' ? !isNudged && !isChanged : result.kind === 'stopped' && !isChanged;
    if (isOver) return { outcome: result.kind };
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof deliverBroadcast>(input);
  }
}
