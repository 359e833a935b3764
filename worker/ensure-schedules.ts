import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { QUEUES, SCHEDULES, WORKFLOWS } from '../domain/runs.ts';

export interface ScheduleIntervals {
  sweepMs: number;
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

/**
 * Creates the schedules that are missing and sets their interval. Repeatable. A pause that an operator set
 * stays; a run that takes longer than its interval is not joined by a second one.
 */
export async function ensureSchedules(client: Client, intervals: ScheduleIntervals): Promise<void> {
  await ensureSchedule(client, SCHEDULES.sweep, WORKFLOWS.sweep, intervals.sweepMs);
  await ensureSchedule(client, SCHEDULES.expireOutputs, WORKFLOWS.expireOutputs, intervals.expireMs);
  await ensureSchedule(client, SCHEDULES.forgetAnswers, WORKFLOWS.forgetAnswers, intervals.expireMs);
  await ensureSchedule(client, SCHEDULES.expireBodies, WORKFLOWS.expireBodies, intervals.expireMs);
  await ensureSchedule(client, SCHEDULES.partitions, WORKFLOWS.keepPartitions, PARTITIONS_EVERY_MS);
  await ensureSchedule(client, SCHEDULES.retention, WORKFLOWS.applyRetention, RETENTION_EVERY_MS);
  const { closeRankings } = SCHEDULES;
  await ensureSchedule(client, closeRankings, WORKFLOWS.closeRankings, RANKINGS_EVERY_MS, RANKINGS_OFFSET_MS);
}

async function ensureSchedule(
  client: Client,
  scheduleId: string,
  workflowType: string,
  everyMs: number,
  /** After the epoch, to which intervals count. */
  offsetMs = 0,
): Promise<void> {
  const spec = { intervals: [{ every: everyMs, offset: offsetMs }] };
  const action = {
    type: 'startWorkflow' as const,
    workflowType,
    taskQueue: QUEUES.maintenance,
    workflowId: scheduleId,
    args: [],
  };
  const policies = { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' as const };
  try {
    await client.schedule.create({ scheduleId, spec, action, policies });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const handle = client.schedule.getHandle(scheduleId);
    const present = await handle.describe();
    const interval = present.spec.intervals?.[0];
    const isSame = Number(interval?.every) === everyMs && Number(interval?.offset ?? 0) === offsetMs;
    if (!isSame) await handle.update((previous) => ({ ...previous, spec }));
  }
}
