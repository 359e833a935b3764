import { describe, expect, test } from '@jest/globals';
import type { PrivateEndpoint } from '../../../domain/endpoints/private-endpoint.ts';
import { digestOf, type TestedConfiguration } from '../../../services/endpoints/digest-of.ts';

const ENDPOINT: TestedConfiguration = {
  modelId: 'a/b',
  providerSlug: 'openai-compatible',
  baseUrl: 'https://vllm.example/v1',
  upstreamModelId: 'tuned',
  declaredParameters: ['temperature', 'tools'],
  declaredRegion: null,
  declaredZdr: null,
};

const digestWith = (changes: Partial<PrivateEndpoint>): string => digestOf({ ...ENDPOINT, ...changes });

describe('the digest of a configuration', () => {
  test.each<[Partial<PrivateEndpoint>]>([
    [{ baseUrl: 'https://VLLM.example:443/v1/' }],
    [{ baseUrl: 'https://vllm.example./v1#top' }],
    [{ declaredParameters: ['tools', 'temperature'] }],
    [{ pricing: { prompt: '1', completion: '1', cacheRead: '1', cacheWrite: '1' } }],
    [{ status: 'active' }],
  ])('stays the same with %j', (changes) => {
    expect(digestWith(changes)).toBe(digestOf(ENDPOINT));
  });

  test.each<[Partial<PrivateEndpoint>]>([
    [{ modelId: 'a/c' }],
    [{ providerSlug: 'openai' }],
    [{ baseUrl: null }],
    [{ baseUrl: 'http://vllm.example/v1' }],
    [{ baseUrl: 'https://vllm.example/V1' }],
    [{ baseUrl: 'https://vllm.example/v1?a=1' }],
    [{ baseUrl: 'https://vllm.example:8443/v1' }],
    [{ upstreamModelId: 'Tuned' }],
    [{ declaredParameters: ['temperature'] }],
    [{ declaredParameters: [] }],
    [{ declaredParameters: null }],
    [{ declaredRegion: 'global' }],
    [{ declaredZdr: false }],
  ])('is another one with %j', (changes) => {
    expect(digestWith(changes)).not.toBe(digestOf(ENDPOINT));
  });

  test('tells no declared parameters from undeclared ones', () => {
    expect(digestWith({ declaredParameters: [] })).not.toBe(digestWith({ declaredParameters: null }));
  });
import { expect, test } from '@jest/globals';
import { digestOf } from '../../../services/endpoints/digest-of.ts';

const ENDPOINT = {
  modelId: 'local/echo-1',
  providerSlug: 'openai-compatible',
  baseUrl: 'https://models.example/v1',
  upstreamModelId: 'acme/tuned-7b',
  declaredParameters: ['seed', 'stop'],
  declaredRegion: 'us' as const,
  declaredZdr: true,
};

test.each([
  { baseUrl: 'https://models.example/v1/' },
  { baseUrl: 'https://MODELS.example.:443/v1' },
  { declaredParameters: ['stop', 'seed'] },
])('%j is the same configuration', (change) => {
  expect(digestOf({ ...ENDPOINT, ...change })).toBe(digestOf(ENDPOINT));
});

test.each([
  { modelId: 'local/echo-2' },
  { providerSlug: 'azure' },
  { baseUrl: null },
  { baseUrl: 'http://models.example/v1' },
  { baseUrl: 'https://models.example:8443/v1' },
  { baseUrl: 'https://models.example/v2' },
  { baseUrl: 'https://models.example/v1?version=2' },
  { upstreamModelId: 'ACME/tuned-7b' },
  { declaredParameters: ['seed'] },
  { declaredParameters: null },
  { declaredRegion: null },
  { declaredZdr: null },
  { declaredZdr: false },
])('%j is another configuration', (change) => {
  expect(digestOf({ ...ENDPOINT, ...change })).not.toBe(digestOf(ENDPOINT));
});
