import { z } from 'zod';
import { defineOperation } from './operation.ts';

const usd = z.number().meta({ description: 'US dollars.' });
const count = z.int();

/** Clients of this API shape require these fields; `-1` says that Sluice sets no such limit. */
const unlimited = { limit: count, remaining: count, used: count };

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
      is_free_tier: z.boolean(),
      is_management_key: z.boolean(),
      is_provisioning_key: z.boolean().meta({ description: 'The same as `is_management_key`.' }),
      creator_user_id: z.string().nullable(),
      organization_id: z.string().nullable(),
      workspace_id: z.string().nullable(),
      allowed_data_regions: z.array(z.enum(['global', 'europe', 'us'])),
      free_model_daily_requests: z.object(unlimited),
      rate_limit: z.object({ interval: z.string(), requests: count, note: z.string() }),
      expires_at: z.iso.datetime({ offset: true }).nullable().optional(),
    }),
  })
  .meta({ id: 'CurrentKey' });

export type CurrentKey = z.output<typeof currentKey>;

export const getCurrentKey = defineOperation({
  id: 'getCurrentKey',
  method: 'get',
  path: '/key',
  access: 'any',
  tag: 'Keys',
  summary: 'Describe the key in use',
  description:
    'What the key that makes this call may spend, and has spent. Periods are UTC, weeks start on Monday.',
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
  errors: [],
});
