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
  revision: 0,
};

const digestWith = (changes: Partial<PrivateEndpoint>): string => digestOf({ ...ENDPOINT, ...changes });

describe('the digest of a configuration', () => {
  test.each<[Partial<PrivateEndpoint>]>([
    [{ baseUrl: 'https://VLLM.example:443/v1/' }],
    [{ baseUrl: 'https://vllm.example./v1' }],
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
    [{ baseUrl: 'https://vllm.example:8443/v1' }],
    [{ upstreamModelId: 'Tuned' }],
    [{ declaredParameters: ['temperature'] }],
    [{ declaredParameters: [] }],
    [{ declaredParameters: null }],
    [{ declaredRegion: 'global' }],
    [{ declaredZdr: false }],
    [{ revision: 1 }],
  ])('differs with %j', (changes) => {
    expect(digestWith(changes)).not.toBe(digestOf(ENDPOINT));
  });

  test('differs between an empty list of parameters and none', () => {
    expect(digestWith({ declaredParameters: [] })).not.toBe(digestWith({ declaredParameters: null }));
  });
});
