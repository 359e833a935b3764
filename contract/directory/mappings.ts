/** Declares the operations that map groups of a directory to workspaces. */
import { z } from 'zod';
import { WORKSPACE_ROLES } from '../../domain/accounts/workspace-member.ts';
import { answerWith, deletion, pageOf } from '../answers.ts';
import { REPLAY_HEADER } from '../headers.ts';
import { defineOperations } from '../operation.ts';
import { idParams } from '../params.ts';
import { pageQuery, queryFlag } from '../query-values.ts';
import { mappingExample } from './mapping-examples.ts';

const common = { access: 'management', tag: 'Directory' } as const;
const role = z.enum(WORKSPACE_ROLES);

/** A mapping. Every field is always present: published clients reject a record that lacks one. */
const mapping = z
  .object({
    id: z.uuid(),
    organization_id: z.uuid(),
    scim_group_id: z.uuid(),
    workspace_id: z.uuid(),
    role,
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'ScimGroupMapping' });

export type ScimGroupMappingRecord = z.output<typeof mapping>;

const newMapping = z
  .object({
    scim_group_id: z.uuid().meta({ description: 'A group of `GET /scim/groups`.' }),
    workspace_id: z.uuid(),
    role: role.meta({
      description:
        'The role of the people of the group in the workspace. A person in several mapped groups has the highest.',
    }),
  })
  .meta({ id: 'NewScimGroupMapping' });

const current = answerWith('ScimGroupMappingAnswer', mapping, mappingExample);

const params = idParams('mapping', mappingExample.id);

const WHEN =
  'For up to 1,000 people it takes effect before the response; for more people a sync job applies it. The guard does not stop large removals.';

export const mappingOperations = defineOperations(common, {
  listScimGroupMappings: {
    route: 'GET /scim/group-mappings',
    summary: 'List group mappings',
    description: 'Lists all mappings of the organization, the oldest first.',
    query: z.object(pageQuery),
    responses: {
      200: {
        description: 'One page of mappings.',
        ...pageOf('ScimGroupMappingList', mapping, mappingExample),
      },
    },
  },

  createScimGroupMapping: {
    route: 'POST /scim/group-mappings',
    summary: 'Map a group to a workspace',
    description: `Makes the people of a group members of a workspace. A request for an existing mapping returns it and applies it once more. Another role for the same group and workspace is a 409 with the reason \`mapping_exists\`. ${WHEN}`,
    body: {
      schema: newMapping,
      examples: {
        one: {
          summary: 'The people of a group become members of a workspace',
          value: {
            scim_group_id: mappingExample.scim_group_id,
            workspace_id: mappingExample.workspace_id,
            role: mappingExample.role,
          },
        },
      },
    },
    idempotent: true,
    responses: { 201: { description: 'The mapping.', headers: REPLAY_HEADER, ...current } },
    errors: [404],
  },

  getScimGroupMapping: {
    route: 'GET /scim/group-mappings/{id}',
    summary: 'Get a group mapping',
    params,
    responses: { 200: { description: 'The mapping.', ...current } },
    errors: [404],
  },

  updateScimGroupMapping: {
    route: 'PATCH /scim/group-mappings/{id}',
    summary: 'Change the role of a group mapping',
    description: `Changes the role of the people of the group. Group and workspace of a mapping never change. ${WHEN}`,
    params,
    body: {
      schema: z.object({ role }).meta({ id: 'ScimGroupMappingChanges' }),
      examples: { admin: { summary: 'Make the people administrators', value: { role: 'admin' } } },
    },
    responses: { 200: { description: 'The mapping as it is now.', ...current } },
    errors: [404],
  },

  deleteScimGroupMapping: {
    route: 'DELETE /scim/group-mappings/{id}',
    summary: 'Delete a group mapping',
    description: `Deletes the mapping. The query decides whether the members stay. ${WHEN}`,
    params,
    query: z.object({
      keep_members: queryFlag().meta({
        description:
          '`true`: the people stay in the workspace with their role, as if added by hand; a role in the default workspace is removed. `false`: people who are in the workspace only because of this mapping leave it, and their keys of the workspace are disabled.',
      }),
    }),
    responses: { 200: { description: 'The mapping is deleted.', ...deletion('ScimGroupMappingDeleted') } },
    errors: [404],
  },
});
