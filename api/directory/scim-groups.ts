/** Answers the requests of identity providers about groups. */
import type { scimGroupOperations } from '../../contract/directory/scim-groups.ts';
import type { ProvisionedGroup } from '../../contract/directory/scim-resources.ts';
import { GROUP_SCHEMA } from '../../domain/directory/scim/group-schema.ts';
import type { GroupsService, ShownGroup } from '../../services/directory/scim-server/groups-service.ts';
import { createProjection } from '../../services/directory/scim/create-projection.ts';
import { withoutUndefined } from '../http/request/optional-fields.ts';
import type { RoutesOf } from '../http/route.ts';
import {
  headersOf,
  isKnown,
  metaOf,
  presentScimList,
  refuseUnsupported,
  scimBaseUrl,
  toScimWrite,
} from './scim-call.ts';

export const scimGroupRoutes: RoutesOf<typeof scimGroupOperations, { directoryGroups: GroupsService }> = {
  /** Handles `GET /scim/v2/Groups`: lists groups for an identity provider. */
  listProvisionedGroups: async ({ directoryClient, query }, { services, settings }) => {
    refuseUnsupported(query);
    const projection = createProjection(withoutUndefined(query), 'Group');
    const wants = { members: projection.includes('members') };
    const { organizationId } = directoryClient;
    const { groups, totalCount } = await services.directoryGroups.list(organizationId, query, wants);
    const base = scimBaseUrl(settings);
    const resources = groups.map(
      (one) => projection.apply(presentProvisionedGroup(one, base)) as ProvisionedGroup,
    );
    return { status: 200, body: presentScimList(resources, { startIndex: query.startIndex, totalCount }) };
  },

  /** Handles `POST /scim/v2/Groups`: creates a group that an identity provider pushes. */
  createProvisionedGroup: async ({ query, body, ...call }, { services, settings }) => {
    const projection = createProjection(withoutUndefined(query), 'Group');
    const wants = { members: projection.includes('members') };
    const made = await services.directoryGroups.create(toScimWrite({ ...call, headers: {} }), body, wants);
    const base = scimBaseUrl(settings);
    return {
      status: 201,
      headers: headersOf('Group', made.group, base),
      body: projection.apply(presentProvisionedGroup(made, base)) as ProvisionedGroup,
    };
  },

  /** Handles `GET /scim/v2/Groups/{id}`: returns a group to an identity provider, or 304 if its version is known. */
  getProvisionedGroup: async ({ directoryClient, params, query, headers }, { services, settings }) => {
    const projection = createProjection(withoutUndefined(query), 'Group');
    const group = await services.directoryGroups.find(directoryClient.organizationId, params.id);
    const base = scimBaseUrl(settings);
    const answer = { headers: headersOf('Group', group, base) };
    if (isKnown(headers, group.version)) return { status: 304, ...answer };
    const members = projection.includes('members') ? await services.directoryGroups.membersOf(group) : [];
    const body = projection.apply(presentProvisionedGroup({ group, members }, base)) as ProvisionedGroup;
    return { status: 200, ...answer, body };
  },

  /** Handles `PUT /scim/v2/Groups/{id}`: replaces a group with the one that an identity provider sends. */
  replaceProvisionedGroup: async ({ params, query, body, ...call }, { services, settings }) => {
    const projection = createProjection(withoutUndefined(query), 'Group');
    const wants = { members: projection.includes('members') };
    const made = await services.directoryGroups.replace(toScimWrite(call), params.id, body, wants);
    const base = scimBaseUrl(settings);
    return {
      status: 200,
      headers: headersOf('Group', made.group, base),
      body: projection.apply(presentProvisionedGroup(made, base)) as ProvisionedGroup,
    };
  },

  /**
   * Handles SCIM's PATCH of a group. Answers with the group, or with a 204 if it has many members and the request does
   * not ask for attributes. 100,000 members would be megabytes per change. RFC 7644, section 3.5.2, allows both.
   */
  patchProvisionedGroup: async ({ params, query, body, ...call }, { services, settings }) => {
    const projection = createProjection(withoutUndefined(query), 'Group');
    const namesAttributes = query.attributes !== undefined || query.excludedAttributes !== undefined;
    const wants = namesAttributes ? { members: projection.includes('members') } : 'unless many';
    const write = toScimWrite(call);
    const { group, members } = await services.directoryGroups.patch(write, params.id, body, wants);
    const base = scimBaseUrl(settings);
    const headers = headersOf('Group', group, base);
    if (members === null) return { status: 204, headers };
    return {
      status: 200,
      headers,
      body: projection.apply(presentProvisionedGroup({ group, members }, base)) as ProvisionedGroup,
    };
  },

  /** Handles `DELETE /scim/v2/Groups/{id}`: deletes a group for an identity provider. */
  deleteProvisionedGroup: async ({ params, ...call }, { services }) => {
    await services.directoryGroups.remove(toScimWrite(call), params.id);
    return { status: 204 };
  },
};

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
