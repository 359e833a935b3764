/** Declares the operations on users of the SCIM server, which identity providers call. */
import { defineOperations } from '../operation.ts';
import * as examples from './scim-examples.ts';
import { readsOf, scimOperation, writesOf } from './scim-operations.ts';
import { provisionedUser } from './scim-resources.ts';

const user = {
  type: 'User',
  schema: provisionedUser,
  example: examples.user,
  bodies: examples.users,
  changes: examples.userChanges,
} as const;
const reads = readsOf(user);
const writes = writesOf(user);

export const scimUserOperations = defineOperations(scimOperation, {
  listProvisionedUsers: {
    ...reads.list,
    description: 'Lists the users, the oldest first. Identity providers look users up with a filter.',
  },

  createProvisionedUser: {
    ...writes.create,
    description:
      'Creates a user. A user with the external id or user name of a deleted one gets the same id again.',
  },

  getProvisionedUser: {
    ...reads.get,
    description:
      'Returns a user. The version does not cover the groups of the user: with `If-None-Match` the response may be a 304 although they have changed.',
  },

  replaceProvisionedUser: {
    ...writes.replace,
    description:
      'Removes the attributes that the body lacks, except `active` and `externalId`, which stay as they are.',
  },

  patchProvisionedUser: { ...writes.patch, description: 'Applies all operations or none.' },

  deleteProvisionedUser: {
    ...writes.delete,
    description:
      'Deletes the user. The person leaves the organization, and the keys that `scim_disable_keys` selects are disabled.',
  },
});
