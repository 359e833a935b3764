/** Provides the API reference with examples of private endpoints, their validations, errors and requests. */
import { validationExample } from './validation.ts';

export const endpointId = '3f1c9a52-7d40-4c8e-9b1e-5a6d2c8f7e01';
const TIME = '2026-01-01T00:00:00.000Z';

const model = {
  model_name: 'GPT-5 mini',
  model_permaslug: 'openai/gpt-5-mini-2025-08-07',
  model_slug: 'openai/gpt-5-mini',
};

export const summary = {
  id: endpointId,
  created_at: TIME,
  status: 'draft',
  ...model,
  provider_name: 'OpenAI-compatible',
};

export const managed = { ...summary, declared_region: 'europe', declared_zdr: true };

export const endpoint = {
  id: endpointId,
  status: 'draft',
  base_url: 'https://vllm.example/v1',
  declared_region: 'europe',
  declared_zdr: true,
  declared_parameters: ['temperature', 'max_tokens'],
  ...model,
  pricing: {
    prompt: '0.0000015',
    completion: '0.000006',
    cache_read: '0.00000015',
    cache_write: '0.0000015',
  },
  provider_name: 'OpenAI-compatible',
  provider_slug: 'openai-compatible',
  upstream_model_id: 'gpt-5-mini-tuned',
};

export const validation = {
  state: 'passed',
  passed: true,
  checks: [],
  created_at: TIME,
  finished_at: '2026-01-01T00:00:04.000Z',
  is_current: true,
};

const error = (code: number, message: string, reason: string, retryable: boolean) => ({
  error: { code, message, metadata: { reason, retryable } },
});

export const notActivated = {
  ...error(422, 'Invalid argument', 'upstream_error', false),
  data: { endpoint: managed, validation: validationExample },
};

export const checksRunning = {
  ...error(408, 'Operation timed out. Please try again later.', 'validation_running', true),
  data: { endpoint: managed, validation: null },
};

export const tooManyValidations = {
  ...error(409, 'Resource conflict. Please try again later.', 'too_many_validations', true),
  data: { endpoint: managed, validation: null },
};

export const notStarted = {
  ...error(503, 'Service temporarily unavailable', 'unavailable', true),
  data: { endpoint: managed, validation: null },
};

export const creations = {
  'own-server': {
    summary: 'A server of your own, with your own prices',
    value: {
      model_permaslug: 'openai/gpt-5-mini',
      provider_slug: 'openai-compatible',
      upstream_model_id: 'gpt-5-mini-tuned',
      base_url: 'https://vllm.example/v1',
      declared_region: 'europe',
      declared_zdr: true,
      pricing: { prompt: '0.0000015', completion: '0.000006' },
    },
  },
};

export const changes = {
  'new-model': {
    summary: 'Another model at the same address',
    value: { upstream_model_id: 'gpt-5-mini-tuned-2', declared_region: 'europe', declared_zdr: true },
  },
};

export const pricings = {
  'long-prompts': {
    summary: 'Higher prices for long prompts',
    value: {
      pricing: {
        prompt: '0.000002',
        completion: '0.00001',
        overrides: [{ min_prompt_tokens: 272_000, prompt: '0.000004', completion: '0.000015' }],
      },
    },
  },
  negotiated: {
    summary: 'Negotiated prices',
    value: { pricing: { prompt: '0.0000015', completion: '0.000006' } },
  },
};
