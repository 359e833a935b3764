/** Handles `PATCH /scim/group-mappings/{id}`: changes the role that a group mapping gives. */
import { operations } from '../../contract/operations.ts';
import { actorOf } from '../../domain/principal.ts';
import { presentGroupMapping } from './present-group-mapping.ts';
import { defineRoute } from '../http/route.ts';

export const updateScimGroupMapping = defineRoute(
  operations.updateScimGroupMapping,
  async ({ principal, client, params, body, gone }, { services }) => {
    const actor = actorOf(principal, client);
    const mapping = await services.groupMappings.setRole(actor, params.id, body.role, gone());
    return { status: 200, body: { data: presentGroupMapping(mapping) } };
  },
);
