import { describe, expect, test } from '@jest/globals';
import type { LiveEndpoint, LiveModel } from '../../../domain/catalog/catalog.ts';
import type { LiveUnits } from '../../../domain/catalog/live-units.ts';
import {
  chooseTargets,
  type EndpointHealth,
  NO_PREFERENCES,
  type RoutingFacts,
  type RoutingPreferences,
  type Target,
} from '../../../domain/routing/routing.ts';

const NAMES: Record<string, string> = { alpha: 'Alpha Cloud', beta: 'Beta', gamma: 'Gamma' };

function endpoint(id: string, facts: Partial<LiveEndpoint> = {}): LiveEndpoint {
  return {
    id,
    modelId: 'm/one',
    providerSlug: id.split('-')[0]!,
    capability: 'chat',
    upstreamModelId: id,
    region: 'global',
    pricing: { prompt: '0.000002', completion: '0.000004' },
    contextLength: null,
    maxCompletionTokens: null,
    quantization: null,
    supportedParameters: ['temperature'],
    collectsData: false,
    zdr: false,
    distillable: false,
    timeouts: {},
    priority: 0,
    ...facts,
  };
}

function model(id: string, endpoints: LiveEndpoint[]): LiveModel {
  return {
    id,
    canonicalSlug: id,
    name: id,
    description: null,
    createdAt: new Date(0),
    inputModalities: ['text'],
    outputModalities: ['text'],
    contextLength: null,
    endpoints,
  };
}

interface Question {
  preferences?: Partial<RoutingPreferences>;
  parameters?: string[];
  health?: Record<string, Partial<EndpointHealth>>;
  region?: LiveEndpoint['region'];
  triesUnmeasured?: boolean;
  costAt?: NonNullable<RoutingFacts['costAt']>;
  highestPricesAt?: NonNullable<RoutingFacts['highestPricesAt']>;
}

function choose(models: LiveModel[], question: Question = {}) {
  const { preferences, parameters = [], health = {}, region, triesUnmeasured = false } = question;
  const { costAt, highestPricesAt } = question;
  const candidates = models.map((model) => model.endpoints.map((one) => ({ model, endpoint: one })));
  return chooseTargets(candidates, {
    preferences: { ...NO_PREFERENCES, ...preferences },
    parameters,
    region: region ?? null,
    triesUnmeasured,
    ...(costAt && { costAt }),
    ...(highestPricesAt && { highestPricesAt }),
    providerName: (slug) => NAMES[slug] ?? slug,
    health: (id) => health[id] && { open: false, latencySeconds: null, throughput: null, ...health[id] },
  }).map(({ endpoint: { id } }) => id);
}

const three = [
  endpoint('alpha', { pricing: { prompt: '0.000003', completion: '0.000003' }, collectsData: true }),
  endpoint('beta', { pricing: { prompt: '0.000001', completion: '0.000001' }, quantization: 'fp8' }),
  endpoint('gamma', {
    pricing: { prompt: '0.000002', completion: '0.000002' },
    zdr: true,
    distillable: true,
  }),
];
const one = [model('m/one', three)];

describe('chooseTargets', () => {
  test('tries the cheapest endpoint first when the catalog has no order', () => {
    expect(choose(one)).toEqual(['beta', 'gamma', 'alpha']);
  });

  test("follows the catalog's order when it has one", () => {
    const ordered = [
      endpoint('alpha', { priority: 1 }),
      endpoint('beta', { priority: 2 }),
      endpoint('gamma'),
    ];
    expect(choose([model('m/one', ordered)])).toEqual(['gamma', 'alpha', 'beta']);
  });

  test.each<[string, Partial<RoutingPreferences>, string[]]>([
    ['only, by slug', { only: ['alpha'] }, ['alpha']],
    ['only, by name in any case', { only: ['alpha cloud'] }, ['alpha']],
    ['ignore', { ignore: ['beta'] }, ['gamma', 'alpha']],
    ['order first, the others after', { order: ['alpha', 'gamma'] }, ['alpha', 'gamma', 'beta']],
    ['no fallbacks', { allowFallbacks: false }, ['beta']],
    ['no fallbacks with an order', { allowFallbacks: false, order: ['alpha'] }, ['alpha']],
    ['no data collection', { denyDataCollection: true }, ['beta', 'gamma']],
    ['zero retention', { zdr: true }, ['gamma']],
    ['distillable', { distillable: true }, ['gamma']],
    ['quantizations', { quantizations: ['fp8'] }, ['beta']],
    ['quantization not told', { quantizations: ['unknown'] }, ['gamma', 'alpha']],
    ['a price of two dollars a million', { maxPrice: { prompt: '2' } }, ['beta', 'gamma']],
    ['a price for images where none costs', { maxPrice: { image: '0' } }, ['beta', 'gamma', 'alpha']],
    ['nothing fits', { only: ['delta'] }, []],
  ])('follows the preference: %s', (_name, preferences, expected) => {
    expect(choose(one, { preferences })).toEqual(expected);
  });

  test.each<[string, LiveEndpoint['capability'], object, RoutingPreferences['maxPrice']]>([
    ['a picture', 'image', { outputImage: '0.05' }, { image: '0.049' }],
    ['a megapixel', 'image', { outputMegapixel: '0.05' }, { image: '0.049' }],
    ['a reference', 'image', { inputReference: '0.05' }, { image: '0.049' }],
    ['a token of a picture', 'image', { imageOutput: '0.00005' }, { completion: '49' }],
    ['a token of a reference', 'image', { imageInput: '0.00005' }, { prompt: '49' }],
    ['a second', 'speech', { outputSecond: '0.05' }, { audio: '0.049' }],
    ['a character', 'speech', { character: '0.00005' }, { prompt: '49' }],
    ['a search', 'rerank', { searchUnit: '0.05' }, { request: '0.049' }],
  ])(
    'skips endpoints that charge more for %s than max_price allows',
    (_what, capability, price, maxPrice) => {
      const [unit, bound] = Object.entries(maxPrice)[0]!;
      const pricing = { prompt: '0', completion: '0', ...price };
      const dear = [model('m/one', [endpoint('alpha', { capability, pricing })])];
      expect(choose(dear, { preferences: { maxPrice } })).toEqual([]);
      const enough = { [unit]: bound.replace('49', '50') };
      expect(choose(dear, { preferences: { maxPrice: enough } })).toEqual(['alpha']);
    },
  );

  test.each<[string, LiveEndpoint['capability'], LiveUnits['most'], RoutingPreferences['maxPrice']]>([
    ['a picture', 'image', { per_image: '2.5' }, { image: '0.0049' }],
    ['a megapixel', 'image', { per_megapixel: '2.5' }, { image: '0.0049' }],
    ['a character', 'speech', { per_character: '2.5' }, { prompt: '4900' }],
    ['a request', 'speech', { per_request: '2.5' }, { request: '0.0049' }],
  ])(
    'skips endpoints that may report more units for %s than max_price allows',
    (_what, capability, most, maxPrice) => {
      const [unit, bound] = Object.entries(maxPrice)[0]!;
      const pricing = { prompt: '0', completion: '0', billableUnit: '0.002' };
      const units = { usual: { per_image: '1' }, most };
      const dear = [model('m/one', [endpoint('alpha', { capability, pricing, units })])];
      expect(choose(dear, { preferences: { maxPrice } })).toEqual([]);
      const enough = { [unit]: bound.replace('49', '50') };
      expect(choose(dear, { preferences: { maxPrice: enough } })).toEqual(['alpha']);
    },
  );

  test('ranks endpoints by the cost of this request when it is known', () => {
    const costs: Record<string, bigint> = { alpha: 1n, beta: 3n, gamma: 2n };
    const costAt = ({ endpoint: { id } }: Target) => costs[id]!;
    expect(choose(one, { costAt, preferences: { sort: 'price' } })).toEqual(['alpha', 'gamma', 'beta']);
    expect(choose(one, { costAt })).toEqual(['alpha', 'gamma', 'beta']);
  });

  test('holds the highest prices that a request can reach against max_price', () => {
    const steep = { prompt: '0.000001', completion: '0.000001', overrides: [{ prompt: '0.000009' }] };
    const models = [model('m/one', [endpoint('alpha', { pricing: steep }), endpoint('beta')])];
    const highestPricesAt = ({ endpoint: { id } }: Target) => {
      if (id === 'beta') throw new Error('has no conditions');
      return { ...steep, prompt: '0.000009' };
    };
    const at = (prompt: string) => choose(models, { highestPricesAt, preferences: { maxPrice: { prompt } } });
    expect([at('2'), at('8'), at('9')]).toEqual([['beta'], ['beta'], ['alpha', 'beta']]);
  });

  test('skips endpoints without a parameter only if require_parameters is set', () => {
    const endpoints = [
      endpoint('alpha'),
      endpoint('beta', { supportedParameters: ['temperature', 'tools'] }),
    ];
    const models = [model('m/one', endpoints)];
    expect(choose(models, { parameters: ['tools'] })).toHaveLength(2);
    const preferences = { requireParameters: true };
    expect(choose(models, { preferences, parameters: ['tools'] })).toEqual(['beta']);
  });

  test('skips endpoints outside the region', () => {
    const models = [model('m/one', [endpoint('alpha'), endpoint('beta', { region: 'europe' })])];
    expect(choose(models, { region: 'europe' })).toEqual(['beta']);
  });

  test('sorts endpoints by measured throughput, latency or price', () => {
    const health = {
      alpha: { throughput: { p50: 90 }, latencySeconds: { p50: 3 } },
      beta: { throughput: { p50: 20 }, latencySeconds: { p50: 2 } },
      gamma: { throughput: { p50: 50 }, latencySeconds: { p50: 1 } },
    };
    expect(choose(one, { health, preferences: { sort: 'throughput' } })).toEqual(['alpha', 'gamma', 'beta']);
    expect(choose(one, { health, preferences: { sort: 'latency' } })).toEqual(['gamma', 'beta', 'alpha']);
    expect(choose(one, { health, preferences: { sort: 'price' } })).toEqual(['beta', 'gamma', 'alpha']);
  });

  test.each(['throughput', 'latency'] as const)(
    'puts unmeasured endpoints last by %s, and first when they are to be tried',
    (sort) => {
      const health = { alpha: { throughput: { p50: 90 }, latencySeconds: { p50: 3 } } };
      const preferences = { sort };
      expect(choose(one, { health, preferences })).toEqual(['alpha', 'beta', 'gamma']);
      const tried = choose(one, { health, preferences, triesUnmeasured: true });
      expect(tried).toEqual(['beta', 'gamma', 'alpha']);
    },
  );

  test("keeps the catalog's order for exacto, which has no measurements", () => {
    const ordered = [
      endpoint('alpha', { priority: 1 }),
      endpoint('beta', { priority: 2, pricing: { prompt: '0', completion: '0' } }),
      endpoint('gamma'),
    ];
    const preferences = { sort: 'exacto' } as const;
    expect(choose([model('m/one', ordered)], { preferences })).toEqual(['gamma', 'alpha', 'beta']);
  });

  test('puts endpoints below the minimum throughput last, and trusts unmeasured ones', () => {
    const health = { beta: { throughput: { p50: 20, p90: 5 } } };
    const preferences = { minThroughput: { p90: 10 } };
    expect(choose(one, { health, preferences })).toEqual(['gamma', 'alpha', 'beta']);
  });

  test('skips endpoints with an open circuit unless all are open', () => {
    expect(choose(one, { health: { beta: { open: true } } })).toEqual(['gamma', 'alpha']);
    const open = { open: true };
    expect(choose(one, { health: { alpha: open, beta: open, gamma: open } })).toEqual([
      'beta',
      'gamma',
      'alpha',
    ]);
  });
});

describe('chooseTargets with several models', () => {
  const two = [
    model('m/one', [endpoint('alpha'), endpoint('beta')]),
    model('m/two', [endpoint('gamma', { pricing: { prompt: '0.000001', completion: '0' } })]),
  ];

  test('tries the models in their order, each with all its endpoints', () => {
    expect(choose(two)).toEqual(['alpha', 'beta', 'gamma']);
  });

  test('sorts the endpoints of all models together when partition is none', () => {
    const preferences = { sort: 'price', partition: 'none' } as const;
    expect(choose(two, { preferences })).toEqual(['gamma', 'alpha', 'beta']);
  });

  test('keeps one endpoint per model when fallbacks are not allowed', () => {
    expect(choose(two, { preferences: { allowFallbacks: false } })).toEqual(['alpha', 'gamma']);
  });
});
