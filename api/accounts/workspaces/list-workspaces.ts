/** Handles `GET /workspaces`: lists the workspaces of the organization. */
import { operations } from '../../../contract/operations.ts';
import { presentWorkspace } from './present-workspace.ts';
import { defineRoute } from '../../http/route.ts';

export const listWorkspaces = defineRoute(
  operations.listWorkspaces,
  async ({ principal, query }, { services }) => {
    const { workspaces, totalCount } = await services.workspaces.list(principal.organizationId, query);
    return { status: 200, body: { data: workspaces.map(presentWorkspace), total_count: totalCount } };
  },
);
