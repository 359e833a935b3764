import { proxyActivities } from '@temporalio/workflow';
import type { SweepActivities } from '../activities/sweep-activities.ts';
import type { KeepSweepingInput } from '../domain/runs.ts';
import { sweepingOptions } from './activity-options.ts';

/**
 * Run by a schedule: looks for lost work again and again, for an hour, in one activity. A run for each sweep would fill
 * the list in the Temporal UI with thousands a day.
 *
 * What survives a crash: Postgres guards everything that a sweep does, so it may be done again at any point. When the
 * worker of the activity stops or dies, another worker retries the activity and begins a new hour. When this run ends,
 * the schedule starts the run that fell due meanwhile; when there is none, a worker notices within a minute and has one
 * started (worker/ensure-sweeping.ts).
 */
export async function keepSweeping({
  forMs,
}: KeepSweepingInput): ReturnType<SweepActivities['sweepRepeatedly']> {
  const { sweepRepeatedly } = proxyActivities<SweepActivities>(sweepingOptions(forMs));
  return sweepRepeatedly(forMs);
}
