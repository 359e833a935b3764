/** Handles `POST /workspaces/{id}/members/remove`: removes users from a workspace. */
import { operations } from '../../../contract/operations.ts';
import { actorOf } from '../../../domain/principal.ts';
import { defineRoute } from '../../http/route.ts';

export const removeWorkspaceMembers = defineRoute(
  operations.removeWorkspaceMembers,
  async ({ principal, client, params, body }, { services }) => {
    const actor = actorOf(principal, client);
    const removedCount = await services.workspaceMembers.remove(actor, params.id, body.user_ids);
    return { status: 200, body: { removed_count: removedCount } };
  },
);
