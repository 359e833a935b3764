/** Handles `GET /scim/group-mappings/{id}`: returns one mapping of a directory group to a workspace. */
import { operations } from '../../contract/operations.ts';
import { presentGroupMapping } from './present-group-mapping.ts';
import { defineRoute } from '../http/route.ts';

export const getScimGroupMapping = defineRoute(
  operations.getScimGroupMapping,
  async ({ principal, params }, { services }) => {
    const mapping = await services.groupMappings.get(principal.organizationId, params.id);
    return { status: 200, body: { data: presentGroupMapping(mapping) } };
  },
);
