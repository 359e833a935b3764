import type { Client } from '@temporalio/client';
import { SCHEDULES, WORKFLOWS } from '../domain/runs.ts';
import { ensureSchedule } from './ensure-schedule.ts';
import { ensureSweeping } from './ensure-sweeping.ts';

export interface ScheduleIntervals {
  /** How long one run sweeps, and how often a run falls due. */
  sweepRunMs: number;
  /** For all kinds of things whose time is over: files, remembered answers, logged bodies. */
  expireMs: number;
}

/** Partitions are made days before they are needed, and a day too old may stay an hour longer. */
const PARTITIONS_EVERY_MS = 3_600_000;

/** Jobs and audit entries are kept for days: an hour more does not matter. */
const RETENTION_EVERY_MS = 3_600_000;

/** Ten minutes past every hour: once soon after midnight UTC, and again for what was missed. */
const RANKINGS_EVERY_MS = 3_600_000;
const RANKINGS_OFFSET_MS = 600_000;

/** Creates the schedules that are missing, sets their intervals, and sees to it that a run sweeps. Repeatable. */
export async function ensureSchedules(client: Client, intervals: ScheduleIntervals): Promise<void> {
  const { sweepRunMs, expireMs } = intervals;
  await ensureSweeping(client, sweepRunMs);
  const ensure = async (
    scheduleId: string,
    workflowType: string,
    everyMs: number,
    offsetMs?: number,
  ): Promise<void> => {
    await ensureSchedule(client, {
      scheduleId,
      workflowType,
      everyMs,
      ...(offsetMs === undefined ? {} : { offsetMs }),
    });
  };
  await ensure(SCHEDULES.expireOutputs, WORKFLOWS.expireOutputs, expireMs);
  await ensure(SCHEDULES.forgetAnswers, WORKFLOWS.forgetAnswers, expireMs);
  await ensure(SCHEDULES.expireBodies, WORKFLOWS.expireBodies, expireMs);
  await ensure(SCHEDULES.partitions, WORKFLOWS.keepPartitions, PARTITIONS_EVERY_MS);
  await ensure(SCHEDULES.retention, WORKFLOWS.applyRetention, RETENTION_EVERY_MS);
  await ensure(SCHEDULES.closeRankings, WORKFLOWS.closeRankings, RANKINGS_EVERY_MS, RANKINGS_OFFSET_MS);
}
