/**
 * Handles `DELETE /scim/group-mappings/{id}`: deletes a group mapping, and keeps or removes the members that it added.
 */
import { operations } from '../../contract/operations.ts';
import { actorOf } from '../../domain/principal.ts';
import { defineRoute } from '../http/route.ts';

export const deleteScimGroupMapping = defineRoute(
  operations.deleteScimGroupMapping,
  async ({ principal, client, params, query, gone }, { services }) => {
    const { keep_members: keepMembers } = query;
    await services.groupMappings.remove(actorOf(principal, client), params.id, { keepMembers, gone: gone() });
    return { status: 200, body: { deleted: true } };
  },
);
