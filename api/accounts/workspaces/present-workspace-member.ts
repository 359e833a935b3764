/** Turns a membership in a workspace into the record that responses show. */
import type { WorkspaceMemberRecord } from '../../../contract/accounts/workspace-members.ts';
import type { WorkspaceMember } from '../../../domain/accounts/workspace-member.ts';

export function presentWorkspaceMember(member: WorkspaceMember): WorkspaceMemberRecord {
  return {
    id: member.id,
    user_id: member.userId,
    workspace_id: member.workspaceId,
    role: member.role,
    created_at: member.createdAt.toISOString(),
  };
}
