/** Declares the operations on the keys of an intern. */
import { z } from 'zod';
import { apiKey, createdKeyAnswer, keyPageQuery, newKey } from '../accounts/key.ts';
import { deletion, recordsOf } from '../answers.ts';
import { defineOperations } from '../operation.ts';
import { keyExample } from './intern-examples.ts';
import { internParams } from './intern.ts';
import { internOperation } from './interns.ts';

const newInternKey = newKey
  .pick({ name: true, limit: true, limit_reset: true, include_byok_in_limit: true, expires_at: true })
  .meta({ id: 'NewInternKey' });

export const internKeyOperations = defineOperations(internOperation, {
  createInternKey: {
    route: 'POST /interns/{internId}/keys',
    summary: 'Create a key of an intern',
    description:
      'Creates a key that is confined to the intern. No later response shows the key itself. The new key belongs to the user of the calling key. If that is a regular key, the new key also has its end user and rate limit. Send an `Idempotency-Key`, so that a repeated request returns the same key instead of creating another. An intern’s key gets a 403. So does a regular key with a limit or an expiry, since the new key would have neither.',
    params: internParams,
    body: {
      schema: newInternKey,
      examples: {
        limited: {
          summary: 'With a monthly limit',
          value: { name: 'Release notes', limit: 20, limit_reset: 'monthly', include_byok_in_limit: false },
        },
      },
    },
    idempotent: true,
    responses: { 201: createdKeyAnswer(keyExample) },
  },

  listInternKeys: {
    route: 'GET /interns/{internId}/keys',
    summary: 'List the keys of an intern',
    description:
      'Lists the keys of the intern, the newest first, 100 at a time. Read the next page with `offset`, or with `before_id`. Pages read with `before_id` neither repeat nor skip keys when keys are created or deleted meanwhile. An intern’s key gets a 403.',
    params: internParams,
    query: keyPageQuery,
    responses: {
      200: { description: 'Up to 100 keys.', ...recordsOf('InternKeyList', apiKey, keyExample) },
    },
  },

  deleteInternKey: {
    route: 'DELETE /interns/{internId}/keys/{hash}',
    summary: 'Delete a key of an intern',
    description:
      'Deletes the key permanently. Every process refuses it within a second. Its usage stays in analytics. An intern’s key gets a 403.',
    params: internParams.extend({
      hash: z.string().meta({ description: 'The hash of the key.', examples: [keyExample.hash] }),
    }),
    responses: { 200: { description: 'The key is deleted.', ...deletion('InternKeyDeleted') } },
  },
});
