/** Turns a mapping of a directory group to a workspace into the record that responses show. */
import type { ScimGroupMappingRecord } from '../../contract/directory/mappings.ts';
import type { GroupMapping } from '../../domain/directory/group.ts';

export function presentGroupMapping(mapping: GroupMapping): ScimGroupMappingRecord {
  return {
    id: mapping.id,
    organization_id: mapping.organizationId,
    scim_group_id: mapping.groupId,
    workspace_id: mapping.workspaceId,
    role: mapping.role,
    created_at: mapping.createdAt.toISOString(),
    updated_at: mapping.updatedAt.toISOString(),
  };
}
