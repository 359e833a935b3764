/** Declares the operations that describe the calling key. */
import { z } from 'zod';
import { keyBudget } from './key-budget.ts';
import { defineOperations, type OperationDefinition } from '../operation.ts';

const usd = z.number().meta({ description: 'US dollars.' });

/** Clients of this API shape require these fields. */
const freeRequests = z.object({
  limit: z.int().meta({ description: '-1: there is no such limit.' }),
  remaining: z.int().meta({ description: '-1: there is no such limit.' }),
  used: z.int().meta({
    description: 'Requests of this key on this UTC day that were completed and cost nothing.',
  }),
});

export const currentKey = z
  .object({
    data: z.object({
      label: z.string().meta({ description: 'The key, masked.' }),
      usage: usd,
      usage_daily: usd,
      usage_weekly: usd,
      usage_monthly: usd,
      byok_usage: usd,
      byok_usage_daily: usd,
      byok_usage_weekly: usd,
      byok_usage_monthly: usd,
      limit: usd.nullable(),
      limit_remaining: usd.nullable(),
      limit_reset: z.enum(['daily', 'weekly', 'monthly']).nullable(),
      include_byok_in_limit: z.boolean(),
      budgets: z.array(keyBudget).meta({
        description:
          'The key’s own limit and the budgets of its workspace, in the order in which they are checked.',
      }),
      effective_budget: keyBudget.nullable().meta({
        description:
          'The first exhausted budget, or else the one with the least money left; null without budgets.',
      }),
      is_free_tier: z
        .boolean()
        .meta({ description: 'True if requests need credit and none was ever bought.' }),
      is_management_key: z.boolean(),
      is_provisioning_key: z.boolean().meta({ description: 'Equals `is_management_key`.' }),
      creator_user_id: z.string().nullable(),
      organization_id: z.string().nullable(),
      workspace_id: z.string().nullable(),
      allowed_data_regions: z.array(z.enum(['global', 'europe', 'us'])),
      free_model_daily_requests: freeRequests,
      rate_limit: z.object({ interval: z.string(), requests: z.int(), note: z.string() }),
      expires_at: z.iso.datetime({ offset: true }).nullable().optional(),
    }),
  })
  .meta({ id: 'CurrentKey' });

export type CurrentKey = z.output<typeof currentKey>;

const exampleBudget = {
  scope: 'key_limit',
  budget_id: null,
  guardrail_id: null,
  limit_usd: 100,
  spend_usd: 12.5,
  remaining_usd: 87.5,
  include_byok: false,
  reset_interval: null,
  resets_at: null,
};

const currentKeyRequest = {
  access: 'any',
  tag: 'Keys',
  responses: {
    200: {
      description: 'The key.',
      schema: currentKey,
      example: {
        data: {
          label: 'sk-slc-abc...wxyz',
          usage: 12.5,
          usage_daily: 0.25,
          usage_weekly: 1.5,
          usage_monthly: 6,
          byok_usage: 0,
          byok_usage_daily: 0,
          byok_usage_weekly: 0,
          byok_usage_monthly: 0,
          limit: 100,
          limit_remaining: 87.5,
          limit_reset: null,
          include_byok_in_limit: false,
          budgets: [exampleBudget],
          effective_budget: exampleBudget,
          is_free_tier: false,
          is_management_key: false,
          is_provisioning_key: false,
          creator_user_id: null,
          organization_id: '6f1c2c1e-5a3a-4b61-9a53-0f2c6f3d1f10',
          workspace_id: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
          allowed_data_regions: ['global', 'europe', 'us'],
          free_model_daily_requests: { limit: -1, remaining: -1, used: 0 },
          rate_limit: { interval: '10s', requests: -1, note: 'No rate limit is configured' },
        },
      },
    },
  },
} as const satisfies Partial<OperationDefinition>;

export const currentKeyOperations = defineOperations(currentKeyRequest, {
  getCurrentKey: {
    route: 'GET /key',
    summary: 'Describe the key in use',
    description: 'Returns limits and spending of the calling key. Periods are UTC, weeks start on Monday.',
  },

  getCurrentKeyAtFormerPath: {
    route: 'GET /auth/key',
    summary: 'Describe the key in use (former path)',
    description: 'Does what `GET /key` does, for older clients.',
  },
});
