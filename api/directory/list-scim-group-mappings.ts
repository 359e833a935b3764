/** Handles `GET /scim/group-mappings`: lists the organization's mappings of directory groups to workspaces. */
import { operations } from '../../contract/operations.ts';
import { presentGroupMapping } from './present-group-mapping.ts';
import { defineRoute } from '../http/route.ts';

export const listScimGroupMappings = defineRoute(
  operations.listScimGroupMappings,
  async ({ principal, query }, { services }) => {
    const { mappings, totalCount } = await services.groupMappings.list(principal.organizationId, query);
    return { status: 200, body: { data: mappings.map(presentGroupMapping), total_count: totalCount } };
  },
);
