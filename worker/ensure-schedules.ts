/** Declares how often each kind of maintenance runs, and creates its schedules on the Temporal server. */
import { type Client, type ScheduleDescription, ScheduleOverlapPolicy } from '@temporalio/client';
import { SCHEDULES, WORKFLOWS, type KeepSweepingInput } from '../domain/runs.ts';
import { ensureSchedule } from './ensure-schedule.ts';

export interface ScheduleIntervals {
  /** The length of one sweeping run, and the interval at which a run falls due. */
  sweepRunMs: number;
  /** The interval of the schedules that remove expired files, idempotency records and logged bodies. */
  expireMs: number;
}

/**
 * The interval of partition upkeep. Partitions are created days before they are needed, and an expired one may stay an
 * hour longer.
 */
const PARTITIONS_EVERY_MS = 3_600_000;

/**
 * The interval of deletions by retention. Jobs and audit entries are kept for days, so one hour more does not matter.
 */
const RETENTION_EVERY_MS = 3_600_000;

/** Rankings are added up at ten past every hour: once soon after midnight UTC, then again for days that failed. */
const RANKINGS_EVERY_MS = 3_600_000;
const RANKINGS_OFFSET_MS = 600_000;

/** Creates missing schedules, sets their intervals, and makes sure that a run sweeps. It is safe to repeat. */
export async function ensureSchedules(client: Client, intervals: ScheduleIntervals): Promise<void> {
  const { sweepRunMs, expireMs } = intervals;
  await ensureSweeping(client, sweepRunMs);
  const ensure = (scheduleId: string, workflowType: string, everyMs: number, offsetMs?: number) =>
    ensureSchedule(client, { scheduleId, workflowType, everyMs, offsetMs });
  await ensure(SCHEDULES.expireOutputs, WORKFLOWS.expireOutputs, expireMs);
  await ensure(SCHEDULES.forgetAnswers, WORKFLOWS.forgetAnswers, expireMs);
  await ensure(SCHEDULES.expireBodies, WORKFLOWS.expireBodies, expireMs);
  await ensure(SCHEDULES.partitions, WORKFLOWS.keepPartitions, PARTITIONS_EVERY_MS);
  await ensure(SCHEDULES.retention, WORKFLOWS.applyRetention, RETENTION_EVERY_MS);
  await ensure(SCHEDULES.closeRankings, WORKFLOWS.closeRankings, RANKINGS_EVERY_MS, RANKINGS_OFFSET_MS);
}

const CATCHUP_WINDOW_MS = 3_600_000;

/**
 * Makes sure that a run sweeps, unless an operator has paused the schedule. Each run sweeps for `runMs` (an hour), and
 * the schedule starts the next one when it ends. If a run is terminated or fails, nothing would sweep until the next
 * run is due, so this function triggers the schedule.
 */
async function ensureSweeping(client: Client, runMs: number): Promise<void> {
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
