/** Turns a group of the directory into an entry of the body of `GET /scim/groups`. */
import type { ScimGroupRecord } from '../../../contract/directory/groups.ts';
import type { ListedGroup } from '../../../db/directory/group-read-model.ts';

export function presentScimGroup(group: ListedGroup): ScimGroupRecord {
  return {
    id: group.id,
    display_name: group.displayName,
    external_id: group.externalId,
    organization_id: group.organizationId,
    created_at: group.createdAt.toISOString(),
    updated_at: group.updatedAt.toISOString(),
  };
}
