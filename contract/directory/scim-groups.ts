/** Declares the operations on groups of the SCIM server, which identity providers call. */
import { z } from 'zod';
import { defineOperation } from '../operation.ts';
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
const headers = { ETag: 'The weak version of the group.', Location: 'Its URL.' };
const current = { schema: provisionedGroup, headers, example: examples.group };

export const listProvisionedGroups = defineOperation({
  ...shared,
  id: 'listProvisionedGroups',
  method: 'get',
  path: '/scim/v2/Groups',
  summary: 'List groups',
  description: 'Oldest first. A page may have fewer groups than asked for when they have very many members.',
  query: scimListQuery,
  responses: {
    200: {
      description: 'One page of groups.',
      schema: listOfResources('ProvisionedGroupList', provisionedGroup),
      example: examples.listOf(examples.group),
    },
  },
  errors: [501],
});

export const createProvisionedGroup = defineOperation({
  ...shared,
  id: 'createProvisionedGroup',
  method: 'post',
  path: '/scim/v2/Groups',
  summary: 'Create a group',
  description: 'Members that are not known yet count once they come. Groups as members are ignored.',
  query,
  body: scimBody('NewProvisionedGroup', 'A group of RFC 7643.', examples.groups),
  responses: { 201: { description: 'The group.', ...current } },
  errors: [403, 409],
});

export const getProvisionedGroup = defineOperation({
  ...shared,
  id: 'getProvisionedGroup',
  method: 'get',
  path: '/scim/v2/Groups/{id}',
  summary: 'Get a group',
  params,
  query,
  headers: scimReadHeaders,
  responses: {
    200: { description: 'The group.', ...current },
    304: { description: 'It is the version that the caller has.', headers },
  },
  errors: [404],
});

export const replaceProvisionedGroup = defineOperation({
  ...shared,
  id: 'replaceProvisionedGroup',
  method: 'put',
  path: '/scim/v2/Groups/{id}',
  summary: 'Replace a group',
  description:
    'Attributes that the body does not have are removed; `externalId` stays as it is, and without `members` the members stay.',
  params,
  query,
  headers: scimWriteHeaders,
  body: scimBody('ProvisionedGroupReplacement', 'A group of RFC 7643.', examples.groups),
  responses: { 200: { description: 'The group as it is now.', ...current } },
  errors: [403, 404, 409, 412],
});

export const patchProvisionedGroup = defineOperation({
  ...shared,
  id: 'patchProvisionedGroup',
  method: 'patch',
  path: '/scim/v2/Groups/{id}',
  summary: 'Change a group',
  description: 'All operations take effect together, or none. A request that names no members leaves them.',
  params,
  query,
  headers: scimWriteHeaders,
  body: patchBody('ProvisionedGroupChanges', examples.groupChanges),
  responses: {
    200: { description: 'The group as it is now.', ...current },
    204: {
      description:
        'It is changed. It has more than 100 members, and neither `attributes` nor `excludedAttributes` was given.',
      headers,
    },
  },
  errors: [403, 404, 409, 412],
});

export const deleteProvisionedGroup = defineOperation({
  ...shared,
  id: 'deleteProvisionedGroup',
  method: 'delete',
  path: '/scim/v2/Groups/{id}',
  summary: 'Delete a group',
  description: 'Its mappings go with it, and with them the memberships that they gave.',
  params,
  headers: scimWriteHeaders,
  responses: { 204: { description: 'It is deleted.' } },
  errors: [403, 404, 408, 412],
});
