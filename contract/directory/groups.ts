/** Declares the operation that lists the groups of a directory. */
import { z } from 'zod';
import { pageOf } from '../answers.ts';
import { defineOperations } from '../operation.ts';
import { pageQuery } from '../query-values.ts';
import { scimGroupExample } from './mapping-examples.ts';

const common = { access: 'management', tag: 'Directory' } as const;

/** A group without its members. Every field is always present: published clients reject a record that lacks one. */
const scimGroup = z
  .object({
    id: z.uuid().meta({ description: 'The SCIM id of the group.' }),
    display_name: z.string(),
    external_id: z
      .string()
      .nullable()
      .meta({ description: 'The id that the identity provider gave the group.' }),
    organization_id: z.uuid(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'ScimGroup' });

export type ScimGroupRecord = z.output<typeof scimGroup>;

export const groupOperations = defineOperations(common, {
  listScimGroups: {
    route: 'GET /scim/groups',
    summary: 'List groups of the directory',
    description:
      'Lists the groups that the identity provider pushed, or that the last sync read, the oldest first. Deleted groups are not listed.',
    query: z.object(pageQuery),
    responses: {
      200: { description: 'One page of groups.', ...pageOf('ScimGroupList', scimGroup, scimGroupExample) },
    },
  },
});
