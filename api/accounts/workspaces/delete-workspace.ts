/** Handles `DELETE /workspaces/{id}`: deletes a workspace with its secrets and inactive keys. */
import { operations } from '../../../contract/operations.ts';
import { actorOf } from '../../../domain/principal.ts';
import { defineRoute } from '../../http/route.ts';

export const deleteWorkspace = defineRoute(
  operations.deleteWorkspace,
  async ({ principal, client, params }, { services }) => {
    await services.workspaces.remove(actorOf(principal, client), params.id);
    return { status: 200, body: { deleted: true } };
  },
);
