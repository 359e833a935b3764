import { proxyActivities } from '@temporalio/workflow';
import type { MaintenanceActivities } from '../activities/maintenance-activities.ts';
import { MAINTENANCE_OPTIONS } from './activity-options.ts';

const { sweepJobs, expireOutputsPage, forgetAnswersPage } =
  proxyActivities<MaintenanceActivities>(MAINTENANCE_OPTIONS);

/** Run by a schedule. Everything it does is guarded in Postgres, so a run that dies is simply made again. */
export async function sweep(): Promise<void> {
  await sweepJobs();
}

const MAX_PAGES = 50;

/** Run by a schedule: removes the files of jobs whose outputs are no longer kept, page by page. */
export async function expireOutputs(): Promise<void> {
  await untilDone(expireOutputsPage);
}

/** Run by a schedule: deletes the answers that were remembered for an `Idempotency-Key`, once they are void. */
export async function forgetAnswers(): Promise<void> {
  await untilDone(forgetAnswersPage);
}

/** A backlog of any size is worked off in runs of a bounded history. */
async function untilDone(takePage: () => Promise<{ more: boolean }>): Promise<void> {
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { more } = await takePage();
    if (!more) return;
  }
}
