import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { QUEUES } from '../domain/runs.ts';

export interface MaintenanceSchedule {
  scheduleId: string;
  workflowType: string;
  args?: unknown[];
  everyMs: number;
  /** After the epoch, to which intervals count. */
  offsetMs?: number;
  /** When not set, a run that takes longer than its interval is not joined or followed by a second one. */
  overlap?: ScheduleOverlapPolicy;
  /** How late a run may start that fell due while Temporal was down. */
  catchupWindowMs?: number;
}

/**
 * Creates the schedule if it is missing, else sets its interval. Repeatable. A pause that an operator set stays.
 * Returns what was there before; undefined when it was missing.
 */
export async function ensureSchedule(
  client: Client,
  schedule: MaintenanceSchedule,
): Promise<ScheduleDescription | undefined> {
  const { everyMs, offsetMs = 0 } = schedule;
  const options = scheduleOptions(schedule);
  try {
    await client.schedule.create(options);
    return undefined;
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
  const handle = client.schedule.getHandle(schedule.scheduleId);
  const present = await handle.describe();
  const interval = present.spec.intervals?.[0];
  const isSame = Number(interval?.every) === everyMs && Number(interval?.offset ?? 0) === offsetMs;
  const { spec, action } = options;
  if (!isSame) await handle.update((previous) => ({ ...previous, spec, action }));
  return present;
}

function scheduleOptions(schedule: MaintenanceSchedule): ScheduleOptions {
  const { scheduleId, workflowType, args = [], everyMs, offsetMs = 0 } = schedule;
  const { overlap = ScheduleOverlapPolicy.SKIP, catchupWindowMs = 60_000 } = schedule;
  return {
    scheduleId,
    spec: { intervals: [{ every: everyMs, offset: offsetMs }] },
    action: {
      type: 'startWorkflow',
      workflowType,
      taskQueue: QUEUES.maintenance,
      workflowId: scheduleId,
      args,
    },
    policies: { overlap, catchupWindow: catchupWindowMs },
  };
}
