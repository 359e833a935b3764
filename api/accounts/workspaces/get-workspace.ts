/** Handles `GET /workspaces/{id}`: returns one workspace, named by its id or slug. */
import { operations } from '../../../contract/operations.ts';
import { presentWorkspace } from './present-workspace.ts';
import { defineRoute } from '../../http/route.ts';

export const getWorkspace = defineRoute(
  operations.getWorkspace,
  async ({ principal, params }, { services }) => ({
    status: 200,
    body: { data: presentWorkspace(await services.workspaces.get(principal.organizationId, params.id)) },
  }),
);
