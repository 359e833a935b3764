/** Handles `GET /scim/sync-jobs/{id}/changes`: lists the changes that a directory sync made, or would have made. */
import { operations } from '../../contract/operations.ts';
import { presentChange } from './present-scim-sync-job.ts';
import { defineRoute } from '../http/route.ts';

export const listScimSyncChanges = defineRoute(
  operations.listScimSyncChanges,
  async ({ principal, params, query }, { services }) => {
    const { organizationId } = principal;
    const { changes, totalCount } = await services.syncJobs.changes(organizationId, params.id, query);
    return { status: 200, body: { data: changes.map(presentChange), total_count: totalCount } };
  },
);
