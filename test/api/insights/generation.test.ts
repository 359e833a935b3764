import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { FoundGeneration } from '../../../services/insights/generations/generation-service.ts';
import { asRegular } from '../support/fake-services.ts';
import { serveApi, type ServedApi } from '../support/serve-api.ts';

const ID = 'gen-1767225600000-abcdefghijklmnopqrst';
const FOUND: FoundGeneration = {
  id: ID,
  createdAt: new Date('2026-01-01T00:00:00Z'),
  workspaceId: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
  model: 'a/b',
  provider: 'a',
  providerName: 'A',
  apiType: 'image',
  status: 'expired',
  finishReason: null,
  costNanos: 1_500_000n,
  upstreamCostNanos: 2_500_000n,
  costByKind: { prompt: 500_000n, completion: 0n, cacheRead: 1_000_000n },
  isByok: true,
  streamed: true,
  dataRegion: 'us',
  externalUser: null,
  presetId: null,
  appId: null,
  origin: null,
  tokensPrompt: 1,
  tokensCompletion: 2,
  tokensReasoning: 3,
  tokensCacheRead: 4,
  tokensCompletionImage: 5,
  mediaPrompt: 6,
  mediaCompletion: 7,
  latencyMs: null,
  generationMs: 9,
  sessionId: null,
  upstreamId: null,
  nativeFinishReason: null,
  serviceTier: null,
  httpReferer: null,
  userAgent: null,
  requestId: null,
  responses: null,
};

let api: ServedApi;

beforeAll(async () => {
  api = await serveApi({ generations: { get: async () => FOUND } });
});

afterAll(() => api.close());

describe('GET /generation', () => {
  test("shows zero usage for a customer's own key, and the upstream cost apart", async () => {
    const response = await fetch(`${api.origin}/api/v1/generation?id=${ID}`, { headers: asRegular });
    const { data } = (await response.json()) as { data: object };
    expect(data).toMatchObject({
      usage: 0,
      total_cost: 0.0015,
      upstream_inference_cost: 0.0025,
      cost_by_kind: {
        prompt: 0.0005,
        completion: 0,
        cache_read: 0.001,
        cache_write: null,
        reasoning: null,
        request: null,
        media: null,
      },
      is_byok: true,
      origin: '',
      cancelled: false,
      provider_responses: null,
      native_tokens_reasoning: 3,
      native_tokens_cached: 4,
      native_tokens_completion_images: 5,
      num_media_prompt: 6,
      num_media_completion: 7,
    });
  });
});
