/** Handles `GET /scim/sync-jobs/{id}`: returns the state of one directory sync. */
import { operations } from '../../contract/operations.ts';
import { presentSyncJob } from './present-scim-sync-job.ts';
import { defineRoute } from '../http/route.ts';

export const getScimSyncJob = defineRoute(
  operations.getScimSyncJob,
  async ({ principal, params }, { services }) => {
    const job = await services.syncJobs.get(principal.organizationId, params.id);
    return { status: 200, body: { data: presentSyncJob(job) } };
  },
);
