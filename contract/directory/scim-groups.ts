/** Declares the operations on groups of the SCIM server, which identity providers call. */
import { defineOperations } from '../operation.ts';
import * as examples from './scim-examples.ts';
import { readsOf, scimOperation, writesOf } from './scim-operations.ts';
import { provisionedGroup } from './scim-resources.ts';

const group = {
  type: 'Group',
  schema: provisionedGroup,
  example: examples.group,
  bodies: examples.groups,
  changes: examples.groupChanges,
} as const;
const reads = readsOf(group);
const writes = writesOf(group);

export const scimGroupOperations = defineOperations(scimOperation, {
  listProvisionedGroups: {
    ...reads.list,
    description:
      'Lists the groups, the oldest first. A page has fewer groups than requested if they have very many members.',
  },

  createProvisionedGroup: {
    ...writes.create,
    description:
      'Creates a group. A member whose user does not exist yet counts once the user is created. Groups as members are ignored.',
  },

  getProvisionedGroup: reads.get,

  replaceProvisionedGroup: {
    ...writes.replace,
    description:
      'Removes the attributes that the body lacks, except `externalId` and `members`, which stay as they are.',
  },

  patchProvisionedGroup: {
    ...writes.patch,
    description:
      'Applies all operations or none. Without `members` in the request, the members stay as they are.',
    responses: {
      ...writes.patch.responses,
      204: {
        description:
          'The group is changed. The response has no body, because the group has more than 100 members and the request has neither `attributes` nor `excludedAttributes`.',
        headers: reads.get.responses[304].headers,
      },
    },
  },

  deleteProvisionedGroup: {
    ...writes.delete,
    description: 'Deletes the group with its mappings, and ends the memberships that these mappings gave.',
  },
});
