/** Answers the operations on the members of a workspace. */
import type {
  workspaceMemberOperations,
  WorkspaceMemberRecord,
} from '../../contract/accounts/workspace-members.ts';
import type { WorkspaceMember } from '../../domain/accounts/workspace-member.ts';
import { actorOf } from '../../domain/principal.ts';
import type { MemberService } from '../../services/accounts/workspaces/member-service.ts';
import type { RoutesOf } from '../http/route.ts';

export const workspaceMemberRoutes: RoutesOf<
  typeof workspaceMemberOperations,
  { workspaceMembers: MemberService }
> = {
  /** Handles `GET /workspaces/{id}/members`: lists the members of a workspace. */
  listWorkspaceMembers: async ({ principal: { organizationId }, params, query }, { services }) => {
    const { members, totalCount } = await services.workspaceMembers.list(organizationId, params.id, query);
    return { status: 200, body: { data: members.map(presentWorkspaceMember), total_count: totalCount } };
  },

  /** Handles `POST /workspaces/{id}/members/add`: adds members of the organization to a workspace. */
  addWorkspaceMembers: async (call, { services }) => {
    const { params, body } = call;
    const added = await services.workspaceMembers.add(actorOf(call), params.id, body.user_ids);
    const data = added.members.map(presentWorkspaceMember);
    return { status: 200, body: { data, added_count: added.addedCount } };
  },

  /** Handles `POST /workspaces/{id}/members/remove`: removes users from a workspace. */
  removeWorkspaceMembers: async (call, { services }) => {
    const { params, body } = call;
    const removedCount = await services.workspaceMembers.remove(actorOf(call), params.id, body.user_ids);
    return { status: 200, body: { removed_count: removedCount } };
  },
};

/** Turns a membership in a workspace into the record that responses show. */
function presentWorkspaceMember(member: WorkspaceMember): WorkspaceMemberRecord {
  return {
    id: member.id,
    user_id: member.userId,
    workspace_id: member.workspaceId,
    role: member.role,
    created_at: member.createdAt.toISOString(),
  };
}
