import { describe, expect, test } from '@jest/globals';
import { supportedSizes } from '../../domain/video-shape.ts';
import { bundledCatalogs, parseCatalogFile } from '../../providers/catalog-file.ts';
import { findModel } from '../../providers/local/upstream/videos/video-models.ts';
import { createProviders } from '../../providers/registry.ts';

const endpoint = {
  id: 'a/b@v',
  modelId: 'a/b',
  providerSlug: 'v',
  upstreamModelId: 'b',
  pricingSkus: { duration_seconds: '0.10' },
  capabilities: { durations: [4, 8] },
};

describe('a catalog file', () => {
  test('fills in that an endpoint does not take what its list leaves out', () => {
    const { endpoints } = parseCatalogFile({ providers: [], models: [], endpoints: [endpoint] });
    expect(endpoints).toMatchObject([
      {
        region: 'global',
        maxRunSeconds: 3600,
        priority: 0,
        capabilities: { durations: [4, 8], resolutions: null, seed: null, continuation: false },
      },
    ]);
  });

  test.each([
    ['a price that is no decimal', { pricingSkus: { duration_seconds: '1e-2' } }],
    ['a negative price', { pricingSkus: { duration_seconds: '-1' } }],
    ['an unknown capability', { capabilities: { holograms: true } }],
    ['an unknown resolution', { capabilities: { resolutions: ['8K'] } }],
    ['a list of nothing', { capabilities: { durations: [] } }],
  ])('with %s is refused', (_, change) => {
    const endpoints = [{ ...endpoint, ...change }];
    expect(() => parseCatalogFile({ providers: [], models: [], endpoints })).toThrow();
  });
});

describe('the bundled catalogs', () => {
  const catalogs = bundledCatalogs();

  test('name providers, models and endpoints that belong together', () => {
    for (const { providers, models, endpoints } of catalogs) {
      const slugs = providers.map(({ slug }) => slug);
      const ids = models.map(({ id }) => id);
      for (const { providerSlug, modelId } of endpoints) {
        expect(slugs).toContain(providerSlug);
        expect(ids).toContain(modelId);
      }
    }
  });

  test('name adapters that exist', () => {
    const rows = catalogs.flatMap(({ providers }) => providers);
    const providers = createProviders({
      rows,
      credentials: () => ({ baseUrl: 'https://api.example.com/v1' }),
      outbound: { fetch: () => Promise.reject(new Error('nothing is fetched here')) },
    });
    expect([...providers.keys()]).toEqual(rows.map(({ slug }) => slug));
  });

  test('promise for the local models only what the local upstream makes', () => {
    const endpoints = catalogs.flatMap((catalog) => catalog.endpoints);
    for (const { upstreamModelId, capabilities } of endpoints.filter(
      ({ providerSlug }) => providerSlug === 'local',
    )) {
      const model = findModel(upstreamModelId);
      for (const size of supportedSizes(capabilities)) {
        const [width = 0, height = 0] = size.split('x').map(Number);
        expect([size, model.size.accepts(width, height)]).toEqual([size, true]);
      }
      for (const seconds of capabilities.durations ?? []) {
        expect(seconds).toBeGreaterThanOrEqual(model.seconds.least);
        expect(seconds).toBeLessThanOrEqual(model.seconds.most);
      }
    }
  });
});

describe('a provider row', () => {
  const outbound = { fetch: () => Promise.reject(new Error('nothing is fetched here')) };
  const row = { slug: 'vendor', adapter: 'openai-compatible', baseUrl: null };

  test('without a base URL anywhere makes no provider', () => {
    expect(createProviders({ rows: [row], credentials: () => ({}), outbound }).size).toBe(0);
  });

  test('with an adapter that this version does not have makes no provider', () => {
    const rows = [{ ...row, adapter: 'later', baseUrl: 'https://api.example.com' }];
    expect(createProviders({ rows, credentials: () => ({}), outbound }).size).toBe(0);
  });
});
