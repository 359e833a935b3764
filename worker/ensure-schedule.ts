/** Creates and updates schedules of maintenance workflows on the Temporal server. */
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
  /** Shifts the schedule by this many milliseconds; its intervals count from the epoch. */
  offsetMs?: number | undefined;
  /** The policy for a run that falls due while another is open. By default the new run is skipped. */
  overlap?: ScheduleOverlapPolicy;
  /** Milliseconds by which a run may start late when it fell due while Temporal was down. */
  catchupWindowMs?: number;
}

/**
 * Creates the schedule if it is missing, else sets its interval. It is safe to repeat, and keeps a pause that an
 * operator set. Returns the schedule as it was before; undefined when it was missing.
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
