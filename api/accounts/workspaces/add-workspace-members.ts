/** Handles `POST /workspaces/{id}/members/add`: adds members of the organization to a workspace. */
import { operations } from '../../../contract/operations.ts';
import { actorOf } from '../../../domain/principal.ts';
import { presentWorkspaceMember } from './present-workspace-member.ts';
import { defineRoute } from '../../http/route.ts';

export const addWorkspaceMembers = defineRoute(
  operations.addWorkspaceMembers,
  async ({ principal, client, params, body }, { services }) => {
    const actor = actorOf(principal, client);
    const { members, addedCount } = await services.workspaceMembers.add(actor, params.id, body.user_ids);
    return { status: 200, body: { data: members.map(presentWorkspaceMember), added_count: addedCount } };
  },
);
