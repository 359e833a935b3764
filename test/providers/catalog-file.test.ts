import { describe, expect, test } from '@jest/globals';
import { formatPrice, parsePrice } from '../../domain/catalog/token-price.ts';
import { PRICE_NAMES, type TokenPrices } from '../../domain/catalog/token-pricing.ts';
import { videoPixels } from '../../domain/videos/video-shape.ts';
import { bundledCatalogs, parseCatalogFile } from '../../providers/catalog-file.ts';
import { findModel } from '../../upstream/videos/video-models.ts';
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
  test('treats what an endpoint leaves out as not supported', () => {
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
  ])('cannot have %s', (_, change) => {
    const endpoints = [{ ...endpoint, ...change }];
    expect(() => parseCatalogFile({ providers: [], models: [], endpoints })).toThrow();
  });
});

describe('a catalog file of text endpoints', () => {
  const text = {
    id: 'a/b@v',
    modelId: 'a/b',
    providerSlug: 'v',
    capability: 'chat',
    upstreamModelId: 'b',
    pricing: { prompt: '0.000001', completion: '0' },
  };
  const parse = (change: object) =>
    parseCatalogFile({ providers: [], models: [], endpoints: [], liveEndpoints: [{ ...text, ...change }] });

  test('assumes the worse data policy when none is stated', () => {
    expect(parse({}).liveEndpoints).toMatchObject([
      { collectsData: true, zdr: false, distillable: false, contextLength: null, timeouts: {}, priority: 0 },
    ]);
  });

  test.each([
    ['no price of an answer', { pricing: { prompt: '0' } }],
    ['a price that is no decimal', { pricing: { prompt: '1e-6', completion: '0' } }],
    ['a price of something unknown', { pricing: { ...text.pricing, smell: '1' } }],
    ['no entry in a list of overrides', { pricing: { ...text.pricing, overrides: [] } }],
    ...(
      [
        ['an override without a price', { minPromptTokens: 1 }],
        ['an override without a condition', { prompt: '1', utcMoment: 'end' }],
        ['an override with half of a window', { prompt: '1', utcStart: 100 }],
        ['an override with a window of no time', { prompt: '1', utcStart: 100, utcEnd: 100 }],
        ['an override at 10:60', { prompt: '1', utcStart: 1060, utcEnd: 1200 }],
        ['an override on no day', { prompt: '1', utcDays: [] }],
        ['an override of an unknown modality', { prompt: '1', inputModality: 'smell' }],
        ['an override of the standard tier', { prompt: '1', serviceTier: 'default' }],
        ['an override from some day on', { prompt: '1', validFrom: 'tomorrow' }],
      ] as const
    ).map(([what, entry]) => [what, { pricing: { ...text.pricing, overrides: [entry] } }] as const),
    ['another capability', { capability: 'smell' }],
    ['zero retention of data that it collects', { collectsData: true, zdr: true }],
    ['a context of nothing', { contextLength: 0 }],
    ['an unknown timeout', { timeouts: { totalMs: 1 } }],
  ])('cannot have %s', (_, change) => {
    expect(() => parse(change)).toThrow();
  });
});

describe('voice aliases in a catalog file', () => {
  const parse = (speech: object) =>
    parseCatalogFile({
      providers: [],
      models: [],
      endpoints: [],
      liveEndpoints: [
        {
          id: 'a/b@v',
          modelId: 'a/b',
          providerSlug: 'v',
          capability: 'speech',
          upstreamModelId: 'b',
          pricing: { prompt: '0', completion: '0' },
          speech: { formats: ['mp3'], ...speech },
        },
      ],
    });

  test('name voices of the endpoint, or any voice when the endpoint lists none', () => {
    const voiceAliases = { alloy: 'Kore' };
    for (const voices of [['Kore', 'Charon'], undefined])
      expect(parse({ voiceAliases, ...(voices && { voices }) }).liveEndpoints).toMatchObject([
        { speech: { voiceAliases } },
      ]);
  });

  test.each([
    ['a voice that the endpoint does not have', { voices: ['Kore'], voiceAliases: { alloy: 'Zephyr' } }],
    ['an empty name', { voiceAliases: { alloy: '' } }],
    ['a list', { voiceAliases: ['alloy'] }],
  ])('cannot have %s', (_what, speech) => {
    expect(() => parse(speech)).toThrow();
  });
});

describe('the bundled catalogs', () => {
  const catalogs = bundledCatalogs();

  test('name providers, models and endpoints that belong together', () => {
    const ids = catalogs.flatMap(({ models }) => models).map(({ id }) => id);
    for (const { providers, endpoints, liveEndpoints } of catalogs) {
      const slugs = providers.map(({ slug }) => slug);
      for (const { id, providerSlug, modelId } of [...endpoints, ...liveEndpoints]) {
        expect(slugs).toContain(providerSlug);
        expect(ids).toContain(modelId);
        expect(id).toBe(`${modelId}@${providerSlug}`);
      }
    }
  });

  test('give no two models the same name', () => {
    const models = catalogs.flatMap((catalog) => catalog.models);
    const names = models.flatMap(({ id, canonicalSlug }) => [...new Set([id, canonicalSlug])]);
    expect(new Set(names).size).toBe(names.length);
  });

  test('state prices as shortest decimals, and cached input not above other input', () => {
    for (const { id, pricing } of catalogs.flatMap((catalog) => catalog.liveEndpoints)) {
      const { overrides = [], outputImages = {}, ...prices } = pricing;
      for (const price of Object.values(outputImages))
        expect([id, price]).toEqual([id, formatPrice(parsePrice(price))]);
      for (const entry of [prices, ...overrides] as Partial<TokenPrices>[]) {
        for (const name of PRICE_NAMES) {
          const price = entry[name];
          if (price !== undefined) expect([id, price]).toEqual([id, formatPrice(parsePrice(price))]);
        }
        const { prompt = pricing.prompt, inputCacheRead = prompt } = entry;
        expect(parsePrice(inputCacheRead) <= parsePrice(prompt)).toBe(true);
      }
    }
  });

  test('serve each capability from models with that output modality', () => {
    const makes = {
      chat: 'text',
      embeddings: 'embeddings',
      rerank: 'rerank',
      image: 'image',
      speech: 'audio',
    };
    // A vendor may serve a model of another catalog.
    const all = catalogs.flatMap(({ models }) => models);
    for (const { liveEndpoints } of catalogs) {
      for (const { modelId, capability } of liveEndpoints) {
        const model = all.find(({ id }) => id === modelId);
        expect(model?.outputModalities).toContain(makes[capability]);
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
      for (const size of videoPixels(capabilities).sizes ?? []) {
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
