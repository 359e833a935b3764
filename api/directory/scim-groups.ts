/**
 * Answers the requests of identity providers about groups. Their members may be many, so reading and changing a group
 * differ from scim-users.ts, which says why the other handlers are not shared.
 */
import type { scimGroupOperations } from '../../contract/directory/scim-groups.ts';
import type { ProvisionedGroup } from '../../contract/directory/scim-resources.ts';
import { GROUP_SCHEMA } from '../../domain/directory/scim/group-schema.ts';
import type { GroupsService, ShownGroup } from '../../services/directory/scim-server/groups-service.ts';
import type { ApiSettings, RoutesOf } from '../http/route.ts';
import {
  createView,
  isKnown,
  metaOf,
  presentScimList,
  refuseUnsupported,
  type ScimProjection,
  toScimWrite,
} from './scim-call.ts';

export const scimGroupRoutes: RoutesOf<typeof scimGroupOperations, { directoryGroups: GroupsService }> = {
  /** Handles `GET /scim/v2/Groups`: lists groups for an identity provider. */
  listProvisionedGroups: async ({ directoryClient, query }, { services, settings }) => {
    refuseUnsupported(query);
    const { wants, show } = viewOf(query, settings);
    const { organizationId } = directoryClient;
    const { groups, totalCount } = await services.directoryGroups.list(organizationId, query, wants);
    const { startIndex } = query;
    return { status: 200, body: presentScimList(groups.map(show), { startIndex, totalCount }) };
  },

  /** Handles `POST /scim/v2/Groups`: creates a group that an identity provider pushes. */
  createProvisionedGroup: async ({ query, body, ...call }, { services, settings }) => {
    const { wants, answer } = viewOf(query, settings);
    const made = await services.directoryGroups.create(toScimWrite({ ...call, headers: {} }), body, wants);
    return { status: 201, ...answer(made) };
  },

  /** Handles `GET /scim/v2/Groups/{id}`: returns a group to an identity provider, or 304 if its version is known. */
  getProvisionedGroup: async ({ directoryClient, params, query, headers }, { services, settings }) => {
    const { wants, answer } = viewOf(query, settings);
    const group = await services.directoryGroups.find(directoryClient.organizationId, params.id);
    // A 304 does not read the members, which may be many.
    if (isKnown(headers, group.version)) {
      return { status: 304, headers: answer({ group, members: [] }).headers };
    }
    const members = wants.members ? await services.directoryGroups.membersOf(group) : [];
    return { status: 200, ...answer({ group, members }) };
  },

  /** Handles `PUT /scim/v2/Groups/{id}`: replaces a group with the one that an identity provider sends. */
  replaceProvisionedGroup: async ({ params, query, body, ...call }, { services, settings }) => {
    const { wants, answer } = viewOf(query, settings);
    const made = await services.directoryGroups.replace(toScimWrite(call), params.id, body, wants);
    return { status: 200, ...answer(made) };
  },

  /**
   * Handles SCIM's PATCH of a group. Answers with the group, or with a 204 if it has many members and the request does
   * not ask for attributes. 100,000 members would be megabytes per change. RFC 7644, section 3.5.2, allows both.
   */
  patchProvisionedGroup: async ({ params, query, body, ...call }, { services, settings }) => {
    const { wants, answer } = viewOf(query, settings);
    const namesAttributes = query.attributes !== undefined || query.excludedAttributes !== undefined;
    const { group, members } = await services.directoryGroups.patch(
      toScimWrite(call),
      params.id,
      body,
      namesAttributes ? wants : 'unless many',
    );
    const whole = answer({ group, members: members ?? [] });
    return members === null ? { status: 204, headers: whole.headers } : { status: 200, ...whole };
  },

  /** Handles `DELETE /scim/v2/Groups/{id}`: deletes a group for an identity provider. */
  deleteProvisionedGroup: async ({ params, ...call }, { services }) => {
    await services.directoryGroups.remove(toScimWrite(call), params.id);
    return { status: 204 };
  },
};

function viewOf(query: ScimProjection, settings: ApiSettings) {
  const versionOf = ({ group }: ShownGroup) => group;
  const view = createView({ type: 'Group', present: presentProvisionedGroup, versionOf }, query, settings);
  return { ...view, wants: { members: view.includes('members') } };
}

/**
 * Presents a group.
 * @param base The URL of the SCIM server.
 */
function presentProvisionedGroup({ group, members }: ShownGroup, base: string): ProvisionedGroup {
  return {
    schemas: [GROUP_SCHEMA],
    id: group.id,
    ...(group.externalId === null ? {} : { externalId: group.externalId }),
    ...group.resource,
    displayName: group.displayName,
    members: members.map(({ value }) => ({ value, $ref: `${base}/Users/${value}`, type: 'User' })),
    meta: metaOf('Group', group, base),
  };
}
