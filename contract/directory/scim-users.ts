/** Declares the operations on users of the SCIM server, which identity providers call. */
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
import { listOfResources, provisionedUser } from './scim-resources.ts';

const shared = { access: 'scim', errorShape: 'scim', tag: 'SCIM server' } as const;
const query = z.object(projectionQuery);
const params = z.object({
  id: z.string().meta({ description: 'The SCIM id of the user.', examples: [examples.userId] }),
});
const headers = { ETag: 'The weak version of the user.', Location: 'The URL of the user.' };
const current = { schema: provisionedUser, headers, example: examples.user };

export const scimUserOperations = defineOperations({
  listProvisionedUsers: {
    ...shared,
    method: 'get',
    path: '/scim/v2/Users',
    summary: 'List users',
    description: 'Lists the users, the oldest first. Identity providers look users up with a filter.',
    query: scimListQuery,
    responses: {
      200: {
        description: 'One page of users.',
        schema: listOfResources('ProvisionedUserList', provisionedUser),
        example: examples.listOf(examples.user),
      },
    },
    errors: [501],
  },

  createProvisionedUser: {
    ...shared,
    method: 'post',
    path: '/scim/v2/Users',
    summary: 'Create a user',
    description:
      'Creates a user. A user with the external id or user name of a deleted one gets the same id again.',
    query,
    body: scimBody('NewProvisionedUser', 'A user of RFC 7643.', examples.users),
    responses: { 201: { description: 'The user.', ...current } },
    errors: [403, 409],
  },

  getProvisionedUser: {
    ...shared,
    method: 'get',
    path: '/scim/v2/Users/{id}',
    summary: 'Get a user',
    description:
      'Returns a user. The version does not cover the groups of the user: with `If-None-Match` the response may be a 304 although they have changed.',
    params,
    query,
    headers: scimReadHeaders,
    responses: {
      200: { description: 'The user.', ...current },
      304: { description: 'The caller already has this version.', headers },
    },
    errors: [404],
  },

  replaceProvisionedUser: {
    ...shared,
    method: 'put',
    path: '/scim/v2/Users/{id}',
    summary: 'Replace a user',
    description:
      'Removes the attributes that the body lacks, except `active` and `externalId`, which stay as they are.',
    params,
    query,
    headers: scimWriteHeaders,
    body: scimBody('ProvisionedUserReplacement', 'A user of RFC 7643.', examples.users),
    responses: { 200: { description: 'The user as it is now.', ...current } },
    errors: [403, 404, 409, 412],
  },

  patchProvisionedUser: {
    ...shared,
    method: 'patch',
    path: '/scim/v2/Users/{id}',
    summary: 'Change a user',
    description: 'Applies all operations or none.',
    params,
    query,
    headers: scimWriteHeaders,
    body: patchBody('ProvisionedUserChanges', examples.userChanges),
    responses: {
      200: { description: 'The user as it is now.', ...current },
    },
    errors: [403, 404, 409, 412],
  },

  deleteProvisionedUser: {
    ...shared,
    method: 'delete',
    path: '/scim/v2/Users/{id}',
    summary: 'Delete a user',
    description:
      'Deletes the user. The person leaves the organization, and the keys that `scim_disable_keys` selects are disabled.',
    params,
    headers: scimWriteHeaders,
    responses: { 204: { description: 'The user is deleted.' } },
    errors: [403, 404, 408, 412],
  },
});
