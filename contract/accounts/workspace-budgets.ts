/** Declares the operations on the budgets of workspaces, and the shape of a budget. */
import { z } from 'zod';
import { LIMIT_INTERVALS, LIMIT_RESETS } from '../../domain/ceiling.ts';
import { deletion } from '../answers.ts';
import { defineOperations } from '../operation.ts';
import { workspaceParams } from './workspaces.ts';

const common = { access: 'management', tag: 'Workspaces' } as const;
const MAX_USD = 1_000_000_000;

const workspaceBudget = z
  .object({
    id: z.uuid(),
    workspace_id: z.uuid(),
    limit_usd: z.number(),
    reset_interval: z.enum(LIMIT_RESETS).nullable().meta({ description: 'Null: the budget never resets.' }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'WorkspaceBudget' });

export type WorkspaceBudgetRecord = z.output<typeof workspaceBudget>;

const includeByok = z
  .boolean()
  .meta({ description: 'True if BYOK usage counts against all budgets of the workspace.' });

const example = {
  id: '7d9c0a55-4b1e-4f0c-8f0e-2f6a1c3b5d77',
  workspace_id: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
  limit_usd: 500,
  reset_interval: 'monthly',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-02T00:00:00.000Z',
};

const params = workspaceParams.extend({
  interval: z.enum(LIMIT_INTERVALS).meta({
    description: 'A UTC day, a week from Monday, a month, or the whole lifetime.',
  }),
});

const current = {
  schema: z
    .object({ data: workspaceBudget, include_byok_in_budgets: includeByok })
    .meta({ id: 'WorkspaceBudgetAnswer' }),
  example: { data: example, include_byok_in_budgets: false },
};

export const workspaceBudgetOperations = defineOperations(common, {
  listWorkspaceBudgets: {
    route: 'GET /workspaces/{id}/budgets',
    summary: 'List the budgets of a workspace',
    params: workspaceParams,
    responses: {
      200: {
        description: 'The budgets, the shortest interval first.',
        schema: z
          .object({ data: z.array(workspaceBudget), include_byok_in_budgets: includeByok })
          .meta({ id: 'WorkspaceBudgetList' }),
        example: { data: [example], include_byok_in_budgets: false },
      },
    },
    errors: [404],
  },

  getWorkspaceBudget: {
    route: 'GET /workspaces/{id}/budgets/{interval}',
    summary: 'Get a budget of a workspace',
    params,
    responses: { 200: { description: 'The budget of this interval.', ...current } },
    errors: [400, 404],
  },

  setWorkspaceBudget: {
    route: 'PUT /workspaces/{id}/budgets/{interval}',
    summary: 'Set a budget of a workspace',
    description:
      'Creates or changes the budget of this interval. Budgets of several intervals apply independently. Spending since the interval began counts. Every process applies the change within a second.',
    params,
    body: {
      schema: z
        .object({
          limit_usd: z
            .number()
            .min(0.000_000_001)
            .max(MAX_USD)
            .meta({ description: 'US dollars, rounded to billionths.' }),
          include_byok_in_budgets: includeByok.optional(),
        })
        .meta({ id: 'WorkspaceBudgetDraft' }),
      examples: { monthly: { summary: '500 dollars', value: { limit_usd: 500 } } },
    },
    responses: { 200: { description: 'The budget as it is now.', ...current } },
    errors: [404],
  },

  deleteWorkspaceBudget: {
    route: 'DELETE /workspaces/{id}/budgets/{interval}',
    summary: 'Delete a budget of a workspace',
    description: 'Deletes the budget. Repeating the request succeeds.',
    params,
    responses: {
      200: {
        description: 'The workspace has no budget of this interval.',
        ...deletion('DeletedWorkspaceBudget'),
      },
    },
    errors: [400, 404],
  },
});
