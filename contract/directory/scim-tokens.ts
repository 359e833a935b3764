/** Declares the operations on SCIM tokens, with which identity providers call the SCIM server. */
import { z } from 'zod';
import { MAX_SCIM_TOKENS } from '../../domain/directory/scim-token.ts';
import { deletion, recordsOf } from '../answers.ts';
import { REPLAY_HEADER } from '../headers.ts';
import { defineOperations } from '../operation.ts';
import { idParams } from '../params.ts';
import { text } from '../text.ts';

const common = { access: 'management', tag: 'Directory' } as const;

const scimToken = z
  .object({
    id: z.uuid(),
    label: z.string(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable().meta({
      description: 'The time of the latest call with the token, to the minute; null: never.',
    }),
  })
  .meta({ id: 'ScimToken' });

export type ScimTokenRecord = z.output<typeof scimToken>;

const created = z
  .object({
    data: scimToken,
    token: z.string().meta({ description: 'The token itself. No later response shows it.' }),
  })
  .meta({ id: 'CreatedScimToken' });

export type CreatedScimTokenAnswer = z.output<typeof created>;

const newToken = z
  .object({
    label: text({ min: 1, max: 256 })
      .default('SCIM')
      .meta({ description: 'Names the identity provider that uses the token.' }),
  })
  .meta({ id: 'NewScimToken' });

const example = {
  id: '5f0c7c1a-3f59-4a0e-8f5b-6f7a3f1c9b21',
  label: 'Okta',
  created_at: '2026-01-01T00:00:00.000Z',
  last_used_at: '2026-01-02T00:00:00.000Z',
};

export const scimTokenOperations = defineOperations(common, {
  createScimToken: {
    route: 'POST /scim/tokens',
    summary: 'Create a SCIM token',
    description: `Creates a bearer token with which an identity provider calls \`/scim/v2\`. An organization may have ${MAX_SCIM_TOKENS} tokens.`,
    body: {
      schema: newToken,
      optional: true,
      examples: { okta: { summary: 'For Okta', value: { label: 'Okta' } } },
    },
    idempotent: true,
    responses: {
      201: {
        description: 'The token. It cannot be shown again.',
        headers: REPLAY_HEADER,
        schema: created,
        example: {
          data: { ...example, last_used_at: null },
          token: 'scim-slc-Jt3bUO9qk1nZyM2cV5xW8aLr7sDf0gHh4eQpIoKuTyE',
        },
      },
    },
  },

  listScimTokens: {
    route: 'GET /scim/tokens',
    summary: 'List SCIM tokens',
    description: 'Lists the tokens of identity providers, the oldest first, without their secrets.',
    responses: {
      200: { description: 'The tokens.', ...recordsOf('ScimTokenList', scimToken, example) },
    },
  },

  deleteScimToken: {
    route: 'DELETE /scim/tokens/{id}',
    summary: 'Revoke a SCIM token',
    description:
      'Revokes the token: the next request with it is refused. People and groups stay as they are.',
    params: idParams('token', example.id),
    responses: { 200: { description: 'The token is revoked.', ...deletion('ScimTokenDeleted') } },
    errors: [404],
  },
});
