import { proxyActivities } from '@temporalio/workflow';
import type { SweepActivities } from '../activities/sweep-activities.ts';
import type { KeepSweepingInput } from '../domain/runs.ts';
import { sweepingOptions } from './activity-options.ts';

/**
 * Looks for lost work repeatedly, for an hour, in one activity. A schedule runs it. A run for each sweep would fill
 * the list in the Temporal UI with thousands of runs a day.
 *
 * A crash loses nothing: Postgres guards every effect of a sweep, so a sweep may be repeated at any point. When the
 * worker of the activity stops or dies, another worker retries the activity and begins a new hour. When this run
 * ends, the schedule starts the run that has fallen due. If there is none, a worker notices within a minute and
 * triggers one (worker/ensure-schedules.ts).
 */
export async function keepSweeping({
  forMs,
}: KeepSweepingInput): ReturnType<SweepActivities['sweepRepeatedly']> {
  const { sweepRepeatedly } = proxyActivities<SweepActivities>(sweepingOptions(forMs));
  return sweepRepeatedly(forMs);
}
