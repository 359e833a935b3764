/** Handles `PATCH /workspaces/{id}`: changes the fields of a workspace that the body names. */
import { operations } from '../../../contract/operations.ts';
import { actorOf } from '../../../domain/principal.ts';
import { presentWorkspace } from './present-workspace.ts';
import { requireUpdateFields } from '../../http/request/require-update-fields.ts';
import { defineRoute } from '../../http/route.ts';
import { toWorkspaceChanges } from './to-workspace-changes.ts';

export const updateWorkspace = defineRoute(
  operations.updateWorkspace,
  async ({ principal, client, params, body }, { services }) => {
    const changes = requireUpdateFields(toWorkspaceChanges(body));
    const workspace = await services.workspaces.update(actorOf(principal, client), params.id, changes);
    return { status: 200, body: { data: presentWorkspace(workspace) } };
  },
);
