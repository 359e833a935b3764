import { expireOutputs, type ExpireDeps } from '../services/jobs/expire-outputs.ts';
import { sweep, type SweepDeps, type SweepReport } from '../services/jobs/sweep.ts';

export interface MaintenanceDeps {
  sweep: SweepDeps;
  expire: ExpireDeps;
}

const EXPIRE_PAGE = 100;

/** What the schedules run. */
export function createMaintenanceActivities(deps: MaintenanceDeps) {
  return {
    sweepJobs: (): Promise<SweepReport> => sweep(deps.sweep),

    /** Returns whether a full page was removed, so that there may be more. */
    async expireOutputsPage(): Promise<{ removed: number; more: boolean }> {
      const removed = await expireOutputs(deps.expire, EXPIRE_PAGE);
      return { removed, more: removed === EXPIRE_PAGE };
    },
  };
}

export type MaintenanceActivities = ReturnType<typeof createMaintenanceActivities>;
