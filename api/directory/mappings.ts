/** Answers the operations on the mappings of directory groups to workspaces. */
import type { mappingOperations, ScimGroupMappingRecord } from '../../contract/directory/mappings.ts';
import type { GroupMapping } from '../../domain/directory/group.ts';
import { actorOf } from '../../domain/principal.ts';
import type { MappingService } from '../../services/directory/mapping-service.ts';
import { answerIdempotently } from '../http/answer-idempotently.ts';
import type { RoutesOf } from '../http/route.ts';

export const mappingRoutes: RoutesOf<typeof mappingOperations, { groupMappings: MappingService }> = {
  /** Handles `GET /scim/group-mappings`: lists the organization's mappings of directory groups to workspaces. */
  listScimGroupMappings: async ({ principal, query }, { services }) => {
    const { mappings, totalCount } = await services.groupMappings.list(principal.organizationId, query);
    return { status: 200, body: { data: mappings.map(presentGroupMapping), total_count: totalCount } };
  },

  /** Handles `POST /scim/group-mappings`: makes the people of a directory group members of a workspace. */
  createScimGroupMapping: (call, { services }) => {
    const { scim_group_id: groupId, workspace_id: workspaceId, role } = call.body;
    const draft = { groupId, workspaceId, role };
    return answerIdempotently(
      call,
      (mapping: GroupMapping) => ({ status: 201, body: { data: presentGroupMapping(mapping) } }),
      (once) => services.groupMappings.create(call, draft, { ...once, gone: call.gone() }),
    );
  },

  /** Handles `GET /scim/group-mappings/{id}`: returns one mapping of a directory group to a workspace. */
  getScimGroupMapping: async ({ principal, params }, { services }) => {
    const mapping = await services.groupMappings.get(principal.organizationId, params.id);
    return { status: 200, body: { data: presentGroupMapping(mapping) } };
  },

  /** Handles `PATCH /scim/group-mappings/{id}`: changes the role that a group mapping gives. */
  updateScimGroupMapping: async (call, { services }) => {
    const actor = actorOf(call);
    const mapping = await services.groupMappings.setRole(actor, call.params.id, call.body.role, call.gone());
    return { status: 200, body: { data: presentGroupMapping(mapping) } };
  },

  /**
   * Handles `DELETE /scim/group-mappings/{id}`: deletes a group mapping, and keeps or removes the members that it
   * added.
   */
  deleteScimGroupMapping: async (call, { services }) => {
    const { keep_members: keepMembers } = call.query;
    await services.groupMappings.remove(actorOf(call), call.params.id, { keepMembers, gone: call.gone() });
    return { status: 200, body: { deleted: true } };
  },
};

/** Turns a mapping of a directory group to a workspace into the record that responses show. */
function presentGroupMapping(mapping: GroupMapping): ScimGroupMappingRecord {
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
