import { proxyActivities } from '@temporalio/workflow';
import type { MaintenanceActivities } from '../activities/maintenance-activities.ts';
import { MAINTENANCE_OPTIONS } from './activity-options.ts';

const { sweepJobs, expireOutputsPage } = proxyActivities<MaintenanceActivities>(MAINTENANCE_OPTIONS);

/** Run by a schedule. Everything it does is guarded in Postgres, so a run that dies is simply made again. */
export async function sweep(): Promise<void> {
  await sweepJobs();
}

const MAX_PAGES = 50;

/** Run by a schedule: removes the files of jobs whose outputs are no longer kept, page by page. */
export async function expireOutputs(): Promise<void> {
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { more } = await expireOutputsPage();
    if (!more) return;
  }
}
