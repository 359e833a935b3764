/** Declares the operations that describe the calling key, and that list, create, change and delete keys. */
import { z } from 'zod';
import { keyBudget } from './key-budget.ts';
import { apiKey, createdKey, keyChanges, newKey } from './key.ts';
import { defineOperation, type OperationDefinition } from '../operation.ts';
import { queryFlag, queryInteger } from '../query-values.ts';

const tag = 'Keys';
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
  method: 'get',
  access: 'any',
  tag,
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
  errors: [],
} as const satisfies Partial<OperationDefinition>;

export const getCurrentKey = defineOperation({
  ...currentKeyRequest,
  id: 'getCurrentKey',
  path: '/key',
  summary: 'Describe the key in use',
  description: 'Returns limits and spending of the calling key. Periods are UTC, weeks start on Monday.',
});

export const getCurrentKeyAtFormerPath = defineOperation({
  ...currentKeyRequest,
  id: 'getCurrentKeyAtFormerPath',
  path: '/auth/key',
  summary: 'Describe the key in use (former path)',
  description: 'Does what `GET /key` does, for older clients.',
});

const example = {
  id: 42,
  hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  name: 'Customer 1',
  label: 'sk-slc-abc...wxyz',
  disabled: false,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: null,
  expires_at: null,
  last_used_at: '2026-01-02T00:00:00.000Z',
  creator_user_id: 'user_2b8XQ1mZr7KcW4tYp0LdVn3E',
  external_user: 'customer-1',
  workspace_id: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
  limit: 20,
  limit_remaining: 18.5,
  limit_reset: 'monthly',
  include_byok_in_limit: false,
  usage: 12.5,
  usage_daily: 0.25,
  usage_weekly: 1.5,
  usage_monthly: 1.5,
  byok_usage: 0,
  byok_usage_daily: 0,
  byok_usage_weekly: 0,
  byok_usage_monthly: 0,
};

/** The hash may be any string. One that names no regular key of the organization is a 404. */
const params = z.object({
  hash: z.string().meta({ description: 'The hash of the key.', examples: [example.hash] }),
});

const current = {
  schema: z.object({ data: apiKey }).meta({ id: 'ApiKeyAnswer' }),
  example: { data: example },
};

export const listKeys = defineOperation({
  id: 'listKeys',
  method: 'get',
  path: '/keys',
  access: 'management',
  errorMessages: 'exact',
  tag,
  summary: 'List keys',
  description:
    'Lists the regular keys of a workspace, the newest first, 100 at a time. Read the next page with `offset`, or with `before_id`. Pages read with `before_id` neither repeat nor skip keys when keys are created or deleted meanwhile.',
  query: z.object({
    include_disabled: queryFlag().default(false).meta({ description: 'True: returns disabled keys too.' }),
    include_expired: queryFlag().default(false).meta({ description: 'True: returns expired keys too.' }),
    offset: queryInteger({ min: 0, max: 2_147_483_647 })
      .default(0)
      .meta({ description: 'The number of keys to skip.' }),
    before_id: queryInteger({ min: 1 })
      .optional()
      .meta({ description: 'The `id` of a key. Only keys that were created before it are returned.' }),
    workspace_id: z.uuid().optional().meta({
      description: 'Absent: the default workspace. A workspace that the organization lacks is a 400.',
    }),
  }),
  responses: {
    200: {
      description: 'Up to 100 keys.',
      schema: z.object({ data: z.array(apiKey) }).meta({ id: 'ApiKeyList' }),
      example: { data: [example] },
    },
  },
  errors: [],
});

export const createKey = defineOperation({
  id: 'createKey',
  method: 'post',
  path: '/keys',
  access: 'management',
  tag,
  summary: 'Create a key',
  description:
    'Creates a regular key. No later response shows the key itself. Send an `Idempotency-Key`, so that a repeated request returns the same key instead of creating another.',
  body: {
    schema: newKey,
    limit: 'default',
    examples: {
      customer: {
        summary: 'For a customer, with a monthly limit',
        value: {
          name: 'Customer 1',
          limit: 20,
          limit_reset: 'monthly',
          include_byok_in_limit: false,
          external: { user: 'customer-1' },
        },
      },
      passing: {
        summary: 'With an expiry',
        value: { name: 'Workshop', include_byok_in_limit: false, expires_at: '2030-01-01T00:00:00Z' },
      },
    },
  },
  idempotent: true,
  responses: {
    201: {
      description: 'The key.',
      schema: createdKey,
      headers: { 'Idempotent-Replayed': '`true` if an earlier request with the same key got this response.' },
      example: { data: example, key: 'sk-slc-abcShownOnlyOnceAndKeptNowhereInTheClear0wxyz' },
    },
  },
  errors: [],
});

export const getKey = defineOperation({
  id: 'getKey',
  method: 'get',
  path: '/keys/{hash}',
  access: 'management',
  tag,
  summary: 'Get a key',
  params,
  responses: { 200: { description: 'The key.', ...current } },
  errors: [404],
});

export const updateKey = defineOperation({
  id: 'updateKey',
  method: 'patch',
  path: '/keys/{hash}',
  access: 'management',
  errorMessages: 'exact',
  tag,
  summary: 'Update a key',
  description:
    'Changes the fields in the body and leaves the others. Unknown fields are ignored. A body without a field to change is a 400. A key that moves to another workspace keeps its token, its limit and its spending. Requests in flight stay with the workspace in which they began.',
  params,
  body: {
    schema: keyChanges,
    limit: 'default',
    optional: true,
    examples: {
      disable: { summary: 'Out of use, everywhere within a second', value: { disabled: true } },
      limit: { summary: 'Another limit', value: { limit: 50, limit_reset: 'weekly' } },
      move: {
        summary: 'Moves to another workspace',
        value: { workspace_id: '4c2f3c9e-3a53-4ad8-8d0c-7f3f1c1c2a10' },
      },
    },
  },
  responses: { 200: { description: 'The key as it is now.', ...current } },
  errors: [404],
});

export const deleteKey = defineOperation({
  id: 'deleteKey',
  method: 'delete',
  path: '/keys/{hash}',
  access: 'management',
  tag,
  summary: 'Delete a key',
  description:
    'Deletes the key permanently. Every process refuses it within a second. Its usage stays in analytics.',
  params,
  responses: {
    200: {
      description: 'The key is deleted.',
      schema: z.object({ deleted: z.literal(true) }).meta({ id: 'ApiKeyDeleted' }),
      example: { deleted: true },
    },
  },
  errors: [404],
});
