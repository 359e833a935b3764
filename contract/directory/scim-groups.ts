/** Declares the operations on groups of the SCIM server, which identity providers call. */
import { z } from 'zod';
import { defineOperations } from '../operation.ts';
import * as examples from './scim-examples.ts';
import {
  patchBody,
  projectionQuery,
  scimBody,
  scimListQuery,
  scimReadHeaders,
  scimWriteHeaders,
} from './scim-requests.ts';
import { listOfResources, provisionedGroup } from './scim-resources.ts';

const shared = { access: 'scim', errorShape: 'scim', tag: 'SCIM server' } as const;
const query = z.object(projectionQuery);
const params = z.object({
  id: z.string().meta({ description: 'The SCIM id of the group.', examples: [examples.groupId] }),
});
const headers = { ETag: 'The weak version of the group.', Location: 'The URL of the group.' };
const current = { schema: provisionedGroup, headers, example: examples.group };

export const scimGroupOperations = defineOperations({
  listProvisionedGroups: {
    ...shared,
    method: 'get',
    path: '/scim/v2/Groups',
    summary: 'List groups',
    description:
      'Lists the groups, the oldest first. A page has fewer groups than requested if they have very many members.',
    query: scimListQuery,
    responses: {
      200: {
        description: 'One page of groups.',
        schema: listOfResources('ProvisionedGroupList', provisionedGroup),
        example: examples.listOf(examples.group),
      },
    },
    errors: [501],
  },

  createProvisionedGroup: {
    ...shared,
    method: 'post',
    path: '/scim/v2/Groups',
    summary: 'Create a group',
    description:
      'Creates a group. A member whose user does not exist yet counts once the user is created. Groups as members are ignored.',
    query,
    body: scimBody('NewProvisionedGroup', 'A group of RFC 7643.', examples.groups),
    responses: { 201: { description: 'The group.', ...current } },
    errors: [403, 409],
  },

  getProvisionedGroup: {
    ...shared,
    method: 'get',
    path: '/scim/v2/Groups/{id}',
    summary: 'Get a group',
    params,
    query,
    headers: scimReadHeaders,
    responses: {
      200: { description: 'The group.', ...current },
      304: { description: 'The caller already has this version.', headers },
    },
    errors: [404],
  },

  replaceProvisionedGroup: {
    ...shared,
    method: 'put',
    path: '/scim/v2/Groups/{id}',
    summary: 'Replace a group',
    description:
      'Removes the attributes that the body lacks, except `externalId` and `members`, which stay as they are.',
    params,
    query,
    headers: scimWriteHeaders,
    body: scimBody('ProvisionedGroupReplacement', 'A group of RFC 7643.', examples.groups),
    responses: { 200: { description: 'The group as it is now.', ...current } },
    errors: [403, 404, 409, 412],
  },

  patchProvisionedGroup: {
    ...shared,
    method: 'patch',
    path: '/scim/v2/Groups/{id}',
    summary: 'Change a group',
    description:
      'Applies all operations or none. Without `members` in the request, the members stay as they are.',
    params,
    query,
    headers: scimWriteHeaders,
    body: patchBody('ProvisionedGroupChanges', examples.groupChanges),
    responses: {
      200: { description: 'The group as it is now.', ...current },
      204: {
        description:
          'The group is changed. The response has no body, because the group has more than 100 members and the request has neither `attributes` nor `excludedAttributes`.',
        headers,
      },
    },
    errors: [403, 404, 409, 412],
  },

  deleteProvisionedGroup: {
    ...shared,
    method: 'delete',
    path: '/scim/v2/Groups/{id}',
    summary: 'Delete a group',
    description: 'Deletes the group with its mappings, and ends the memberships that these mappings gave.',
    params,
    headers: scimWriteHeaders,
    responses: { 204: { description: 'The group is deleted.' } },
    errors: [403, 404, 408, 412],
  },
});
