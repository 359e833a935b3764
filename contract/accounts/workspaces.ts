/** Declares the operations that list, create, change and delete workspaces. */
import { z } from 'zod';
import { answerWith, deletion, pageOf } from '../answers.ts';
import { REPLAY_HEADER } from '../headers.ts';
import { defineOperations } from '../operation.ts';
import { pageQuery } from '../query-values.ts';
import { newWorkspace, workspace, workspaceChanges } from './workspace.ts';

const common = { access: 'management', tag: 'Workspaces' } as const;

/** The id may be any string. One that names no workspace of the organization is a 404. */
export const workspaceParams = z.object({
  id: z.string().meta({ description: 'The id of the workspace, or its slug.', examples: ['default'] }),
});

const example = {
  id: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
  name: 'Production',
  slug: 'production',
  description: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-02T00:00:00.000Z',
  created_by: 'user_2b8XQ1mZr7KcW4tYp0LdVn3E',
  budget_alert_thresholds: [50, 80, 100],
  default_guardrail_id: '9f3b0f52-44a5-4a63-9d1d-6d3c8a5f0e77',
  default_text_model: null,
  default_image_model: null,
  default_provider_sort: 'price',
  default_callback_url: 'https://app.example.com/hooks/videos',
  disabled_server_tools: null,
  include_byok_in_budgets: false,
  io_logging_api_key_ids: null,
  io_logging_sampling_rate: 1,
  is_data_discount_logging_enabled: false,
  is_observability_broadcast_enabled: true,
  is_observability_io_logging_enabled: false,
  webhook_event_types: null,
  webhook_failing_since: null,
};

const current = answerWith('WorkspaceAnswer', workspace, example);

export const workspaceOperations = defineOperations(common, {
  listWorkspaces: {
    route: 'GET /workspaces',
    summary: 'List workspaces',
    description:
      'Lists the workspaces of the organization, the oldest first. Workspaces that are created while you read the pages come last.',
    query: z.object(pageQuery),
    responses: {
      200: { description: 'One page of workspaces.', ...pageOf('WorkspaceList', workspace, example) },
    },
  },

  createWorkspace: {
    route: 'POST /workspaces',
    summary: 'Create a workspace',
    description:
      'Creates a workspace. The slug of another workspace of the organization is a 400. An organization may have 1,000 workspaces at a time, and 10,000 with the deleted ones; another is a 400.',
    body: {
      schema: newWorkspace,
      examples: {
        plain: { summary: 'With a name and a slug', value: { name: 'Production', slug: 'production' } },
        settings: {
          summary: 'With settings',
          value: { name: 'Research', slug: 'research', default_provider_sort: 'price' },
        },
      },
    },
    idempotent: true,
    responses: {
      201: {
        description: 'The workspace.',
        headers: REPLAY_HEADER,
        schema: current.schema,
        example: { data: { ...example, updated_at: null } },
      },
    },
  },

  getWorkspace: {
    route: 'GET /workspaces/{id}',
    errorMessages: 'exact',
    summary: 'Get a workspace',
    params: workspaceParams,
    responses: { 200: { description: 'The workspace.', ...current } },
    errors: [404],
  },

  updateWorkspace: {
    route: 'PATCH /workspaces/{id}',
    summary: 'Update a workspace',
    description:
      'Changes the fields in the body and leaves the others. A body without a field to change is a 400.',
    params: workspaceParams,
    body: {
      schema: workspaceChanges,
      examples: {
        callback: {
          summary: 'With a callback URL for all its jobs',
          value: { default_callback_url: 'https://app.example.com/hooks/videos' },
        },
        rename: { summary: 'Another name', value: { name: 'Production, Europe', slug: 'production-eu' } },
      },
    },
    responses: { 200: { description: 'The workspace as it is now.', ...current } },
    errors: [404],
  },

  deleteWorkspace: {
    route: 'DELETE /workspaces/{id}',
    summary: 'Delete a workspace',
    description:
      'Deletes the workspace permanently, with its secrets and its disabled and expired keys. Its slug can be used again at once. Analytics keep its usage. A 400 names the reason why it cannot be deleted: it is the default workspace, or it has interns, active keys or jobs under way.',
    params: workspaceParams,
    responses: { 200: { description: 'The workspace is deleted.', ...deletion('DeletedWorkspace') } },
    errors: [400, 404],
  },
});
