/** Declares the operations on the members of workspaces, and the shape of a membership. */
import { z } from 'zod';
import { WORKSPACE_ROLES } from '../../domain/accounts/workspace-member.ts';
import { pageOf } from '../answers.ts';
import { defineOperations } from '../operation.ts';
import { pageQuery } from '../query-values.ts';
import { text } from '../text.ts';
import { workspaceParams } from './workspaces.ts';

const common = { access: 'management', tag: 'Workspaces' } as const;

const workspaceMember = z
  .object({
    id: z.uuid().meta({ description: 'The id of the membership.' }),
    user_id: z.string(),
    workspace_id: z.uuid(),
    role: z.enum(WORKSPACE_ROLES),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'WorkspaceMember' });

export type WorkspaceMemberRecord = z.output<typeof workspaceMember>;

const example = {
  id: '5b8c7f3e-0f52-4a8e-9c39-5f3a2b1d7c44',
  user_id: 'user_2b8XQ1mZr7KcW4tYp0LdVn3E',
  workspace_id: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
  role: 'member',
  created_at: '2026-01-01T00:00:00.000Z',
};

const userIds = z
  .object({
    user_ids: z
      .array(text({ min: 1, max: 64 }))
      .min(1)
      .max(100),
  })
  .meta({ id: 'WorkspaceMemberIds' });

const body = {
  schema: userIds,
  examples: { one: { summary: 'One user', value: { user_ids: [example.user_id] } } },
} as const;

export const workspaceMemberOperations = defineOperations(common, {
  listWorkspaceMembers: {
    route: 'GET /workspaces/{id}/members',
    summary: 'List the members of a workspace',
    description:
      'Lists the members, the oldest first. Members who are added while you read the pages come last. All members of the organization are members of its default workspace.',
    params: workspaceParams,
    query: z.object(pageQuery),
    responses: {
      200: {
        description: 'One page of members.',
        ...pageOf('WorkspaceMemberList', workspaceMember, example),
      },
    },
    errors: [404],
  },

  addWorkspaceMembers: {
    route: 'POST /workspaces/{id}/members/add',
    summary: 'Add members to a workspace',
    description:
      'Adds all of the users, or none: users who are not members of the organization are a 404 that names them. The users get the role that they have in the organization, also if they are members of the workspace already.',
    params: workspaceParams,
    body,
    responses: {
      200: {
        description: 'The memberships of all users in the body.',
        schema: z
          .object({
            data: z.array(workspaceMember),
            added_count: z
              .int()
              .meta({ description: 'The number of users who are new or have a different role than before.' }),
          })
          .meta({ id: 'AddedWorkspaceMembers' }),
        example: { data: [example], added_count: 1 },
      },
    },
    errors: [404],
  },

  removeWorkspaceMembers: {
    route: 'POST /workspaces/{id}/members/remove',
    summary: 'Remove members from a workspace',
    description:
      'Removes all of the users, or none: users who are not members of the organization are a 404 that names them. A user with active keys in the workspace is a 400, and so is any user of the default workspace.',
    params: workspaceParams,
    body,
    responses: {
      200: {
        description: 'None of the users is a member.',
        schema: z
          .object({ removed_count: z.int().meta({ description: 'The number of removed members.' }) })
          .meta({ id: 'RemovedWorkspaceMembers' }),
        example: { removed_count: 1 },
      },
    },
    errors: [404],
  },
});
