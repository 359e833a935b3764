/** Provides the API reference with examples of own keys of providers and of the requests that store and change them. */

export const byokKeyId = '3f6a2b9c-8d41-4c7e-b0a5-6e1d9f2c7a38';

export const byokKeyRecord = {
  id: byokKeyId,
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

export const requests = {
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

export const changes = {
  rotate: { summary: 'Replace the key', value: { key: 'sk-proj-Zt5hV8mRd4sW6' } },
  order: { summary: 'Try it first', value: { sort_order: 0 } },
};
