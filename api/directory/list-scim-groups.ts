/** Handles `GET /scim/groups`: lists the groups that the directory gave the organization. */
import { operations } from '../../contract/operations.ts';
import { presentScimGroup } from './scim/present-scim-group.ts';
import { defineRoute } from '../http/route.ts';

export const listScimGroups = defineRoute(
  operations.listScimGroups,
  async ({ principal, query }, { services }) => {
    const { groups, totalCount } = await services.scimGroups.list(principal.organizationId, query);
    return { status: 200, body: { data: groups.map(presentScimGroup), total_count: totalCount } };
  },
);
