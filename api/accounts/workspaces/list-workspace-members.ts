/** Handles `GET /workspaces/{id}/members`: lists the members of a workspace. */
import { operations } from '../../../contract/operations.ts';
import { presentWorkspaceMember } from './present-workspace-member.ts';
import { defineRoute } from '../../http/route.ts';

export const listWorkspaceMembers = defineRoute(
  operations.listWorkspaceMembers,
  async ({ principal: { organizationId }, params, query }, { services }) => {
    const { members, totalCount } = await services.workspaceMembers.list(organizationId, params.id, query);
    return { status: 200, body: { data: members.map(presentWorkspaceMember), total_count: totalCount } };
  },
);
