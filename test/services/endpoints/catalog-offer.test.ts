import { describe, expect, test } from '@jest/globals';
import type { CatalogRows } from '../../../db/catalog/catalog-store.ts';
import type { LiveCapability, LiveEndpoint } from '../../../domain/catalog/catalog.ts';
import { findMatchingPublicEndpoint } from '../../../services/endpoints/catalog-offer.ts';

function endpoint(
  id: string,
  providerSlug: string,
  capability: LiveCapability,
  modelId = 'a/b',
): LiveEndpoint {
  return {
    id,
    modelId,
    providerSlug,
    capability,
    upstreamModelId: 'x',
    region: 'global',
    pricing: { prompt: '1', completion: '1' },
    contextLength: null,
    maxCompletionTokens: null,
    quantization: null,
    supportedParameters: [],
    collectsData: false,
    zdr: false,
    distillable: false,
    timeouts: {},
    priority: 0,
  };
}

const ROWS: CatalogRows = {
  providers: [],
  models: [],
  endpoints: [],
  retiredEndpoints: [],
  liveEndpoints: [
    endpoint('speaks', 'openai', 'speech'),
    endpoint('first', 'anthropic', 'chat'),
    endpoint('second', 'openai', 'chat'),
    endpoint('other', 'azure', 'chat', 'a/c'),
  ],
};

describe('the defaults of a private endpoint', () => {
  test.each([
    ['the public endpoint of its provider', 'openai', 'second'],
    ["the model's first public endpoint where its provider has none", 'azure', 'first'],
  ])('come from %s', (_what, providerSlug, id) => {
    const match = findMatchingPublicEndpoint(ROWS, { modelId: 'a/b', providerSlug, capability: 'chat' });
    expect(match?.id).toBe(id);
  });

  test('stay undefined when the model has no public endpoint of the capability', () => {
    const asked = { modelId: 'a/b', providerSlug: 'openai', capability: 'embeddings' } as const;
    expect(findMatchingPublicEndpoint(ROWS, asked)).toBeUndefined();
  });
});
