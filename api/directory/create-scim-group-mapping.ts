/** Handles `POST /scim/group-mappings`: makes the people of a directory group members of a workspace. */
import type { ScimGroupMappingAnswer } from '../../contract/directory/mappings.ts';
import { operations } from '../../contract/operations.ts';
import { presentGroupMapping } from './present-group-mapping.ts';
import { defineRoute } from '../http/route.ts';

export const createScimGroupMapping = defineRoute(
  operations.createScimGroupMapping,
  async ({ principal, client, body, idempotency, gone }, { services }) => {
    const { scim_group_id: groupId, workspace_id: workspaceId, role } = body;
    const result = await services.groupMappings.create(
      { principal, client },
      { groupId, workspaceId, role },
      {
        ...(idempotency === undefined ? {} : { idempotency }),
        gone: gone(),
        respond: (mapping) => ({ status: 201, body: { data: presentGroupMapping(mapping) } }),
      },
    );
    return {
      status: 201,
      ...(result.replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
      // `respond` built this body now, or for the first request with the same idempotency key.
      body: result.body as ScimGroupMappingAnswer,
    };
  },
);
