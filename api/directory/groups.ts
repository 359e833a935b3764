/** Lists the groups of a directory. */
import type { groupOperations, ScimGroupRecord } from '../../contract/directory/groups.ts';
import type { GroupReadModel, ListedGroup } from '../../db/directory/group-read-model.ts';
import type { RoutesOf } from '../http/route.ts';

export const groupRoutes: RoutesOf<typeof groupOperations, { scimGroups: Pick<GroupReadModel, 'list'> }> = {
  /** Handles `GET /scim/groups`: lists the groups that the directory gave the organization. */
  listScimGroups: async ({ principal, query }, { services }) => {
    const { groups, totalCount } = await services.scimGroups.list(principal.organizationId, query);
    return { status: 200, body: { data: groups.map(presentScimGroup), total_count: totalCount } };
  },
};

/** Turns a group of the directory into an entry of the body of `GET /scim/groups`. */
function presentScimGroup(group: ListedGroup): ScimGroupRecord {
  return {
    id: group.id,
    display_name: group.displayName,
    external_id: group.externalId,
    organization_id: group.organizationId,
    created_at: group.createdAt.toISOString(),
    updated_at: group.updatedAt.toISOString(),
  };
}
