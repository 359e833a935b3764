import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { QUEUES, SCHEDULES, WORKFLOWS } from '../domain/runs.ts';

export interface ScheduleIntervals {
  sweepMs: number;
  /** For both kinds of things whose time is over: files, and remembered answers. */
  expireMs: number;
}

/**
 * Creates the schedules that are missing and sets their interval. Repeatable. A pause that an operator set
 * stays; a run that takes longer than its interval is not joined by a second one.
 */
export async function ensureSchedules(client: Client, intervals: ScheduleIntervals): Promise<void> {
  await ensureSchedule(client, SCHEDULES.sweep, WORKFLOWS.sweep, intervals.sweepMs);
  await ensureSchedule(client, SCHEDULES.expireOutputs, WORKFLOWS.expireOutputs, intervals.expireMs);
  await ensureSchedule(client, SCHEDULES.forgetAnswers, WORKFLOWS.forgetAnswers, intervals.expireMs);
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
