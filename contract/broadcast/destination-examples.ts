/** Provides the API reference with examples of destinations and of the requests that create and change them. */

export const destinationId = '8c0f5a1e-6b3d-4f0e-9a51-2d7c4b8e9f10';
const TIME = '2026-01-01T00:00:00.000Z';

export const destination = {
  id: destinationId,
  workspace_id: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
  name: 'Langfuse, production',
  type: 'langfuse',
  config: {
    publicKey: 'pk-l...EfGh',
    secretKey: 'sk-l...MnOp',
    baseUrl: 'https://cloud.langfuse.com',
  },
  enabled: true,
  api_key_hashes: null,
  broadcast_generation_cost: true,
  broadcast_generation_cost_allocation: false,
  broadcast_generation_identity: false,
  broadcast_generation_request_context: false,
  filter_rules: null,
  privacy_mode: false,
  regions: ['global'],
  sampling_rate: 1,
  created_at: TIME,
  updated_at: TIME,
  delivery: {
    state: 'idle',
    reason: null,
    next_attempt_at: null,
    backlog: 0,
    oldest_age_seconds: null,
    delivered: 0,
    rejected: 0,
    without_content: 0,
    undecided: 0,
    given_up: 0,
    dead_letters: 0,
  },
};

export const requests = {
  langfuse: {
    summary: 'Langfuse, with costs',
    value: {
      name: 'Langfuse, production',
      type: 'langfuse',
      config: {
        publicKey: 'pk-lf-4f81c2d9-AbCd-EfGh',
        secretKey: 'sk-lf-4f81c2d9-IjKl-MnOp',
        baseUrl: 'https://cloud.langfuse.com',
      },
      broadcast_generation_cost: true,
    },
  },
  webhook: {
    summary: 'A webhook that receives a tenth of the failures, without content',
    value: {
      name: 'Failures',
      type: 'webhook',
      config: {
        url: 'https://app.example.com/hooks/generations',
        method: 'POST',
        headers: { 'x-api-key': 'a-secret-of-yours' },
      },
      privacy_mode: true,
      sampling_rate: 0.1,
      filter_rules: {
        enabled: true,
        groups: [{ logic: 'and', rules: [{ field: 'finish_reason', operator: 'equals', value: 'error' }] }],
      },
    },
  },
};

export const changes = {
  pause: { summary: 'Out of use', value: { enabled: false } },
  move: {
    summary: 'Another configuration, with the secrets that it has',
    value: {
      config: {
        publicKey: 'pk-l...EfGh',
        secretKey: 'sk-l...MnOp',
        baseUrl: 'https://cloud.langfuse.com',
        headers: { 'x-team': 'search' },
      },
    },
  },
};
