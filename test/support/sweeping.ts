import type { ScheduleHandle, WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';
import { SCHEDULES } from '../../domain/runs.ts';
import { eventually } from './eventually.ts';
import type { Gateway, GatewayTimes } from './gateway.ts';
import { submit } from './jobs.ts';
import { runStarted } from './runs.ts';

const { PENDING_ACTIVITY_STATE_STARTED } = proto.temporal.api.enums.v1.PendingActivityState;

/** The gateway's worker sweeps, and no worker takes the job that shows it. */
export const SWEEPING_ENV = { WORKER_QUEUES: 'maintenance' };

export const SWEEPING_TIMES: GatewayTimes = {
  sweepGraceMs: 1_000,
  sweepIntervalMs: 1_000,
  setupIntervalMs: 1_000,
};

/**
 * The longest time without a sweep that is promised: a minute and one interval. Here the worker looks every second, not
 * every minute, so what is left of the minute is for a busy machine.
 */
const LONGEST_PAUSE_MS = 61_000;

export interface SweepProbe {
  /** Loses the job that only a sweep finds. */
  lose(): Promise<void>;
  isFound(): Promise<boolean>;
  /** Resolves once a sweep that begins after this call has done its work. */
  swept(): Promise<void>;
}

/** A job whose run waits for a worker: whenever its row says that it was not started, a sweep notes that it was. */
export async function createSweepProbe(gateway: Gateway): Promise<SweepProbe> {
  const { id } = await submit(gateway);
  await runStarted(gateway, id);
  const isFound = async (): Promise<boolean> => {
    const { rowCount } = await gateway.database.query(
      'select from video_jobs where id = $1 and dispatched_at is not null',
      [id],
    );
    return rowCount === 1;
  };
  const found = (): Promise<true> =>
    eventually('a sweep', async () => (await isFound()) || undefined, LONGEST_PAUSE_MS);
  await found();
  const lose = async (): Promise<void> => {
    await gateway.database.query(
      `update video_jobs set dispatched_at = null, created_at = created_at - interval '1 minute' where id = $1`,
      [id],
    );
  };
  return {
    lose,
    isFound,
    async swept() {
      await lose();
      await found();
    },
  };
}

export interface SweepingRun {
  workflowId: string;
  runId: string;
}

export function sweepingSchedule(gateway: Gateway): ScheduleHandle {
  return gateway.temporal.schedule.getHandle(SCHEDULES.sweeping);
}

export function handleOf(gateway: Gateway, { workflowId, runId }: SweepingRun): WorkflowHandle {
  return gateway.temporal.workflow.getHandle(workflowId, runId);
}

/** Waits for a run of the schedule, none of the given, that a worker sweeps for. */
export function sweepingRun(gateway: Gateway, ...earlier: SweepingRun[]): Promise<SweepingRun> {
  return eventually('a run that sweeps', async () => {
    const [run] = await openRuns(gateway);
    if (run === undefined || earlier.some(({ runId }) => runId === run.runId)) return undefined;
    return (await isSweeping(gateway, run)) ? run : undefined;
  });
}

/** What the schedule knows to be open. */
export async function openRuns(gateway: Gateway): Promise<SweepingRun[]> {
  const described = await sweepingSchedule(gateway)
    .describe()
    .catch(() => undefined);
  const actions = described?.info.runningActions ?? [];
  return actions.map(({ workflow }) => ({
    workflowId: workflow.workflowId,
    runId: workflow.firstExecutionRunId,
  }));
}

/** Whether a worker has taken the run's activity. */
async function isSweeping(gateway: Gateway, run: SweepingRun): Promise<boolean> {
  const described = await handleOf(gateway, run)
    .describe()
    .catch(() => undefined);
  const [activity] = described?.raw.pendingActivities ?? [];
  return described?.status.name === 'RUNNING' && activity?.state === PENDING_ACTIVITY_STATE_STARTED;
}
