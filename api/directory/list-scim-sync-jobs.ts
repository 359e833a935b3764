/** Handles `GET /scim/sync-jobs`: lists the directory syncs of the organization. */
import { operations } from '../../contract/operations.ts';
import { presentSyncJob } from './present-scim-sync-job.ts';
import { defineRoute } from '../http/route.ts';

export const listScimSyncJobs = defineRoute(
  operations.listScimSyncJobs,
  async ({ principal, query }, { services }) => {
    const { jobs, totalCount } = await services.syncJobs.list(principal.organizationId, query);
    return { status: 200, body: { data: jobs.map(presentSyncJob), total_count: totalCount } };
  },
);
