import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { QUEUES, SCHEDULES, WORKFLOWS } from '../domain/runs.ts';

export interface ScheduleIntervals {
  sweepMs: number;
  /** For all kinds of things whose time is over: files, remembered answers, logged bodies. */
  expireMs: number;
}

/** Partitions are made days before they are needed, and a day too old may stay an hour longer. */
const PARTITIONS_EVERY_MS = 3_600_000;

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
}

async function ensureSchedule(
  client: Client,
  scheduleId: string,
  workflowType: string,
  everyMs: number,
): Promise<void> {
  const spec = { intervals: [{ every: everyMs }] };
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
    const interval = present.spec.intervals?.[0]?.every;
    if (Number(interval) !== everyMs) await handle.update((previous) => ({ ...previous, spec }));
  }
}
