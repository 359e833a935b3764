/** Declares the operations on the vendor keys that customers bring. */
import { z } from 'zod';
import { MAX_CREDENTIALS_OF_WORKSPACE } from '../../domain/endpoints/byok-credential.ts';
import { answerWith, deletion, pageOf } from '../answers.ts';
import { REPLAY_HEADER } from '../headers.ts';
import { defineOperations } from '../operation.ts';
import { idParams } from '../params.ts';
import { pageQuery } from '../query-values.ts';
import { text } from '../text.ts';
import { byokKeyChanges, newByokKey } from './byok-body.ts';
import { byokKey } from './byok-record.ts';

const common = { access: 'management', tag: 'Own keys' } as const;

const EXAMPLE_ID = '3f6a2b9c-8d41-4c7e-b0a5-6e1d9f2c7a38';

const example = {
  id: EXAMPLE_ID,
  provider: 'openai',
  label: 'sk-p...9fQ2',
  name: 'Research account',
  disabled: false,
  is_fallback: false,
  is_required: true,
  is_byok_only: false,
  declared_zdr: true,
  declared_region: null,
  base_url: null,
  allowed_models: ['openai/gpt-5.1'],
  allowed_api_key_hashes: null,
  allowed_user_ids: null,
  sort_order: 0,
  workspace_id: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
  created_at: '2026-01-01T00:00:00.000Z',
};

const requests = {
  openai: {
    summary: 'A key of OpenAI for one model, whose shared endpoints are not used any more',
    value: {
      provider: 'openai',
      key: 'sk-proj-Xw7bN3kLq9fQ2',
      name: 'Research account',
      is_required: true,
      declared_zdr: true,
      allowed_models: ['openai/gpt-5.1'],
    },
  },
  own: {
    summary: 'A server of your own, for all workspaces',
    value: {
      provider: 'openai-compatible',
      key: 'team-key-4f81c2d9',
      base_url: 'https://llm.example.com/v1',
      workspace_id: null,
    },
  },
};

const changes = {
  rotate: { summary: 'Replace the key', value: { key: 'sk-proj-Zt5hV8mRd4sW6' } },
  order: { summary: 'Try it first', value: { sort_order: 0 } },
};

const params = idParams('credential', EXAMPLE_ID);

const current = answerWith('ByokKeyAnswer', byokKey, example);

export const byokKeyOperations = defineOperations(common, {
  listByokKeys: {
    route: 'GET /byok',
    summary: 'List own keys',
    description:
      'Lists the keys of vendors that a workspace may use, organization-wide ones included, in the order in which they are tried.',
    query: z.object({
      ...pageQuery,
      workspace_id: z.uuid().optional().meta({ description: 'Absent: the default workspace.' }),
      provider: text({ min: 1 }).optional().meta({ description: 'Only keys of this provider.' }),
    }),
    responses: {
      200: {
        description: 'One page of credentials.',
        ...pageOf('ByokKeyList', byokKey, example),
      },
    },
  },

  createByokKey: {
    route: 'POST /byok',
    summary: 'Bring a key',
    description: `Stores your own key of a vendor. Requests then use your account at the vendor and cost no credits. A workspace may have ${MAX_CREDENTIALS_OF_WORKSPACE} credentials, and the organization may have as many that all workspaces share. A new credential is tried last.`,
    body: { schema: newByokKey, examples: requests },
    idempotent: true,
    responses: {
      201: { description: 'The credential, without the key.', headers: REPLAY_HEADER, ...current },
    },
  },

  getByokKey: {
    route: 'GET /byok/{id}',
    summary: 'Get an own key',
    params,
    responses: { 200: { description: 'The credential, without the key.', ...current } },
    errors: [404],
  },

  updateByokKey: {
    route: 'PATCH /byok/{id}',
    summary: 'Update an own key',
    description:
      'Changes the fields in the body and leaves the others. A body without a field to change is a 400. `key` replaces the stored key.',
    params,
    body: { schema: byokKeyChanges, examples: changes },
    responses: { 200: { description: 'The credential as it is now.', ...current } },
    errors: [404],
  },

  deleteByokKey: {
    route: 'DELETE /byok/{id}',
    summary: 'Delete an own key',
    description:
      'Deletes the credential and wipes the stored key at once. Video jobs that run with it fail and are not billed.',
    params,
    responses: { 200: { description: 'The credential is deleted.', ...deletion('ByokKeyDeleted') } },
    errors: [404],
  },
});
