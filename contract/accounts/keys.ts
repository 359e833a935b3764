/** Declares the operations that list, create, change and delete keys. */
import { z } from 'zod';
import { apiKey, createdKeyAnswer, keyChanges, keyPageQuery, newKey } from './key.ts';
import { answerWith, deletion, recordsOf } from '../answers.ts';
import { defineOperations } from '../operation.ts';

const common = { access: 'management', tag: 'Keys' } as const;

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

const current = answerWith('ApiKeyAnswer', apiKey, example);

export const keyOperations = defineOperations(common, {
  listKeys: {
    route: 'GET /keys',
    errorMessages: 'exact',
    summary: 'List keys',
    description:
      'Lists the regular keys of a workspace, or of all, the newest first, 100 at a time. Read the next page with `offset`, or with `before_id`. Pages read with `before_id` neither repeat nor skip keys when keys are created or deleted meanwhile.',
    query: keyPageQuery.extend({
      workspace_id: z
        .union([z.literal('all'), z.uuid()], { error: 'must be a UUID or `all`' })
        .optional()
        .meta({
          description:
            'Absent: the default workspace. `all`: every workspace of the organization. A workspace that the organization lacks is a 400.',
        }),
    }),
    responses: {
      200: { description: 'Up to 100 keys.', ...recordsOf('ApiKeyList', apiKey, example) },
    },
  },

  createKey: {
    route: 'POST /keys',
    summary: 'Create a key',
    description:
      'Creates a regular key. No later response shows the key itself. Send an `Idempotency-Key`, so that a repeated request returns the same key instead of creating another.',
    body: {
      schema: newKey,
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
    responses: { 201: createdKeyAnswer(example) },
  },

  getKey: {
    route: 'GET /keys/{hash}',
    summary: 'Get a key',
    params,
    responses: { 200: { description: 'The key.', ...current } },
    errors: [404],
  },

  updateKey: {
    route: 'PATCH /keys/{hash}',
    errorMessages: 'exact',
    summary: 'Update a key',
    description:
      'Changes the fields in the body and leaves the others. Unknown fields are ignored. A body without a field to change is a 400. A key that moves to another workspace keeps its token, its limit and its spending. Requests in flight stay with the workspace in which they began.',
    params,
    body: {
      schema: keyChanges,
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
  },

  deleteKey: {
    route: 'DELETE /keys/{hash}',
    summary: 'Delete a key',
    description:
      'Deletes the key permanently. Every process refuses it within a second. Its usage stays in analytics.',
    params,
    responses: { 200: { description: 'The key is deleted.', ...deletion('ApiKeyDeleted') } },
    errors: [404],
  },
});
