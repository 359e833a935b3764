/** Declares how often each kind of maintenance runs, and creates its schedules on the Temporal server. */
import type { Client } from '@temporalio/client';
import { SCHEDULES, WORKFLOWS } from '../domain/runs.ts';
import { ensureSchedule } from './ensure-schedule.ts';
import { ensureSweeping } from './ensure-sweeping.ts';

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
  const ensure = async (
    scheduleId: string,
    workflowType: string,
    everyMs: number,
    offsetMs?: number,
  ): Promise<void> => {
    await ensureSchedule(client, { scheduleId, workflowType, everyMs, offsetMs });
  };
  await ensure(SCHEDULES.expireOutputs, WORKFLOWS.expireOutputs, expireMs);
  await ensure(SCHEDULES.forgetAnswers, WORKFLOWS.forgetAnswers, expireMs);
  await ensure(SCHEDULES.expireBodies, WORKFLOWS.expireBodies, expireMs);
  await ensure(SCHEDULES.partitions, WORKFLOWS.keepPartitions, PARTITIONS_EVERY_MS);
  await ensure(SCHEDULES.retention, WORKFLOWS.applyRetention, RETENTION_EVERY_MS);
  await ensure(SCHEDULES.closeRankings, WORKFLOWS.closeRankings, RANKINGS_EVERY_MS, RANKINGS_OFFSET_MS);
}
