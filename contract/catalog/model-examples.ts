/** Provides the API reference with examples of models, endpoints and providers. */
import type { ModelEndpointRecord, ModelRecord, ProviderRecord } from './model.ts';

const architecture = {
  modality: 'text+image->text',
  input_modalities: ['text', 'image'],
  output_modalities: ['text'],
  tokenizer: 'GPT',
  instruct_type: null,
};
const pricing = {
  prompt: '0.00000125',
  completion: '0.00001',
  request: '0',
  image: '0',
  input_cache_read: '0.000000125',
};
const parameters = ['max_tokens', 'reasoning', 'tool_choice', 'tools'];

export const model: ModelRecord = {
  id: 'openai/gpt-5.1',
  object: 'model',
  owned_by: 'openai',
  canonical_slug: 'openai/gpt-5.1-2025-11-13',
  name: 'OpenAI: GPT-5.1',
  description: 'A model for coding and agents, with selectable reasoning effort.',
  created: 1_762_992_000,
  context_length: 400_000,
  architecture,
  pricing,
  top_provider: { context_length: 400_000, max_completion_tokens: 128_000, is_moderated: false },
  per_request_limits: null,
  supported_parameters: parameters,
  supported_voices: null,
  default_parameters: null,
  hugging_face_id: null,
  knowledge_cutoff: '2024-09-30',
  expiration_date: null,
  links: { details: '/api/v1/models/openai/gpt-5.1/endpoints' },
  reasoning: {
    mandatory: false,
    default_effort: 'none',
    supported_efforts: ['high', 'medium', 'low', 'none'],
  },
};

export const modelList = {
  object: 'list',
  data: [model],
  links: { next: '/api/v1/models?limit=1&offset=1' },
  total_count: 2,
};

export const endpoint: ModelEndpointRecord = {
  name: 'OpenAI | openai/gpt-5.1',
  model_id: 'openai/gpt-5.1',
  model_name: 'OpenAI: GPT-5.1',
  provider_name: 'OpenAI',
  tag: 'openai',
  context_length: 400_000,
  max_prompt_tokens: null,
  max_completion_tokens: 128_000,
  pricing,
  quantization: null,
  supported_parameters: parameters,
  supports_implicit_caching: true,
  supports_tool_choice: { auto: true, function: true, none: true, required: true },
  supports_voice_cloning: false,
  supports_diarization: false,
  native_tools: {},
  service_tier: null,
  latency_last_30m: { p50: 540, p75: 760, p90: 1_120, p99: 2_900 },
  throughput_last_30m: { p50: 84.2, p75: 96.5, p90: 110.1, p99: 131 },
  uptime_last_5m: 100,
  uptime_last_30m: 99.87,
  uptime_last_1d: 99.94,
};

export const modelEndpoints = {
  data: {
    id: model.id,
    name: model.name,
    created: model.created,
    description: model.description,
    architecture,
    endpoints: [endpoint],
  },
};

export const provider: ProviderRecord = {
  name: 'OpenAI',
  slug: 'openai',
  privacy_policy_url: 'https://openai.com/policies/privacy-policy/',
  terms_of_service_url: 'https://openai.com/policies/services-agreement/',
  status_page_url: 'https://status.openai.com/',
  headquarters: 'US',
  datacenters: null,
};
