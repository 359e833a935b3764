/** Declares the operations that return a recorded generation and its logged content. */
import { z } from 'zod';
import {
  generation,
  type GenerationBody,
  generationContent,
  type GenerationContentBody,
} from './generation.ts';
import { defineOperations } from '../operation.ts';

const common = { access: 'read', tag: 'Generations' } as const;

const EXAMPLE_ID = 'gen-1767225600000-abcdefghijklmnopqrst';

const example: GenerationBody = {
  id: EXAMPLE_ID,
  request_id: 'req_0f8fad5bd9cb469fa16570867728950e',
  session_id: null,
  created_at: '2026-01-01T00:00:00.000Z',
  model: 'local/echo-1',
  provider_name: 'Local upstream',
  api_type: 'completions',
  origin: 'https://app.example.com',
  app_id: 7,
  workspace_id: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
  external_user: null,
  preset_id: null,
  usage: 0.000019,
  total_cost: 0.000019,
  cost_by_kind: {
    prompt: 0.000005,
    completion: 0.000014,
    cache_read: null,
    cache_write: null,
    reasoning: null,
    request: null,
    media: null,
  },
  is_byok: false,
  upstream_inference_cost: null,
  cache_discount: null,
  data_region: 'global',
  streamed: false,
  cancelled: false,
  finish_reason: 'stop',
  native_finish_reason: 'stop',
  latency: 31,
  generation_time: 33,
  moderation_latency: null,
  tokens_prompt: 5,
  tokens_completion: 7,
  native_tokens_prompt: 5,
  native_tokens_completion: 7,
  native_tokens_reasoning: null,
  native_tokens_cached: null,
  native_tokens_completion_images: null,
  num_media_prompt: null,
  num_media_completion: null,
  num_input_audio_prompt: null,
  num_search_results: null,
  num_fetches: null,
  web_search_engine: null,
  router: null,
  service_tier: null,
  http_referer: 'https://app.example.com/chat',
  user_agent: 'example/1.0',
  upstream_id: 'chatcmpl-1',
  provider_responses: [
    {
      provider_name: 'Local upstream',
      endpoint_id: 'local/echo-1@local',
      status: 200,
      latency: 30,
      is_byok: false,
    },
  ],
};

const contentExample: GenerationContentBody = {
  input: { messages: [{ role: 'user', content: 'What is a sluice?' }] },
  output: { completion: 'A gate that lets water through.', reasoning: null },
  error: null,
};

/** The id may be any string. An invalid id is a 404, like one that does not exist. */
const query = z.object({
  id: z.string().meta({
    description: 'The id from `x-generation-id` or from the response body.',
    examples: [EXAMPLE_ID],
  }),
});

export const generationOperations = defineOperations(common, {
  getGeneration: {
    route: 'GET /generation',
    summary: 'Get a generation',
    description:
      'Returns the usage, cost and attempts of a generation. The record is available as soon as the answer is; during a database outage it follows after the outage.',
    query,
    responses: {
      200: {
        description: 'The generation.',
        schema: z.object({ data: generation }),
        example: { data: example },
      },
    },
    errors: [402, 404, 502, 524, 529],
  },

  getGenerationContent: {
    route: 'GET /generation/content',
    isCompressed: false,
    summary: 'Get the input and output of a generation',
    description:
      'Returns the prompt and the answer of a generation. They are stored if the workspace logs inputs and outputs and its settings select the generation. They appear moments after the end of the generation and stay as long as logged bodies are kept. Otherwise the response is a 404.',
    query,
    responses: {
      200: {
        description: 'Input and output.',
        schema: z.object({ data: generationContent }),
        example: { data: contentExample },
      },
    },
    errors: [403, 404, 502, 524, 529],
  },
});
