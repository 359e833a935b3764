import { type Client, type ScheduleDescription, ScheduleOverlapPolicy } from '@temporalio/client';
import { type KeepSweepingInput, SCHEDULES, WORKFLOWS } from '../domain/runs.ts';
import { ensureSchedule } from './ensure-schedule.ts';

const CATCHUP_WINDOW_MS = 3_600_000;

/**
 * Makes sure that a run sweeps, unless an operator has paused the schedule. Each run sweeps for `runMs` (an hour), and
 * the schedule starts the next one when it ends. If a run is terminated or fails, nothing would sweep until the next
 * run is due, so this function triggers the schedule.
 */
export async function ensureSweeping(client: Client, runMs: number): Promise<void> {
  const input: KeepSweepingInput = { forMs: runMs };
  const present = await ensureSchedule(client, {
    scheduleId: SCHEDULES.sweeping,
    workflowType: WORKFLOWS.keepSweeping,
    args: [input],
    everyMs: runMs,
    // The run that falls due while another is open starts as soon as that one ends.
    overlap: ScheduleOverlapPolicy.BUFFER_ONE,
    catchupWindowMs: CATCHUP_WINDOW_MS,
  });
  if (present === undefined || isIdle(present)) {
    // SKIP: several workers may do this at once. The option `triggerImmediately` of a new schedule takes no policy, and
    // Temporal does not count the run that it starts as a run of the schedule.
    await client.schedule.getHandle(SCHEDULES.sweeping).trigger(ScheduleOverlapPolicy.SKIP);
  }
}

function isIdle({ state, info }: ScheduleDescription): boolean {
  return !state.paused && info.runningActions.length === 0;
}
