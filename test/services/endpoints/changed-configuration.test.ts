import { describe, expect, test } from '@jest/globals';
import type { EndpointConfiguration } from '../../../db/endpoints/endpoint-store.ts';
import { changedConfiguration, type EndpointChanges } from '../../../services/endpoints/update-endpoint.ts';

const DECLARED = {
  declaredRegion: 'us',
  declaredZdr: true,
  declaredParameters: ['tools'],
} satisfies Partial<EndpointConfiguration>;

const UNDECLARED = { declaredRegion: null, declaredZdr: null, declaredParameters: null };

const ENDPOINT: EndpointConfiguration = {
  upstreamModelId: 'tuned',
  baseUrl: 'https://vllm.example/v1',
  ...DECLARED,
};

const change = (changes: Partial<EndpointChanges>) =>
  changedConfiguration(ENDPOINT, { upstreamModelId: 'tuned', ...changes });

describe('a changed draft', () => {
  test('keeps its address and its declarations while the upstream is the same', () => {
    expect(change({})).toEqual(ENDPOINT);
    const spelled = 'https://VLLM.example/v1/';
    expect(change({ baseUrl: spelled })).toEqual({ ...ENDPOINT, baseUrl: spelled });
  });

  test.each<[Partial<EndpointChanges>]>([
    [{ upstreamModelId: 'other' }],
    [{ baseUrl: 'https://other.example/v1' }],
    [{ baseUrl: 'https://vllm.example/v2' }],
  ])('loses its declarations with another upstream: %j', (changes) => {
    expect(change(changes)).toMatchObject(UNDECLARED);
    expect(change({ ...changes, ...DECLARED })).toMatchObject(DECLARED);
  });

  test('loses declarations that are cleared with null', () => {
    expect(change(UNDECLARED)).toEqual({ ...ENDPOINT, ...UNDECLARED });
    expect(change({ declaredZdr: null })).toEqual({ ...ENDPOINT, declaredZdr: null });
    expect(change({ declaredZdr: false })).toEqual({ ...ENDPOINT, declaredZdr: false });
  });
});
