import { describe, expect, test } from '@jest/globals';
import type { LiveEndpoint, LiveModel } from '../../../domain/catalog/catalog.ts';
import { planTargets, type RoutingDeps } from '../../../services/routing/plan-targets.ts';
import type { RoutableBody } from '../../../services/routing/routable-body.ts';
import { createEndpointHealth } from '../../../services/routing/endpoint-health.ts';
import type { KnownModel } from '../../../services/catalog/catalog.ts';

/** The first is dear and slow, the second is cheap, the third is fast. */
const FACTS = [
  ['usual', '0.003', 10],
  ['cheap', '0.001', 20],
  ['fast', '0.002', 90],
] as const;

const models = new Map(['m/one', 'm/two', 'm/own:floor'].map((id) => [id, modelOf(id)]));
const health = createEndpointHealth();
for (const { endpoints } of models.values())
  for (const [index, { id }] of endpoints.entries())
    for (let n = 0; n < 5; n += 1)
      health.record(id, { ok: true, latencyMs: 10, throughput: FACTS[index]![2] });

const deps: RoutingDeps = {
  // Endpoints that were never measured are tried by chance; none is here.
  health,
  catalog: {
    findLiveModel: (name, capability) => (capability === 'chat' ? models.get(name) : undefined),
    findKnownModel: (name) => models.get(name) as KnownModel | undefined,
    knownModels: () => [...models.values()] as KnownModel[],
    providerName: (slug) => slug,
  },
};

function modelOf(id: string): LiveModel {
  const endpoints = FACTS.map(([slug, price], priority) => ({
    id: `${id}@${slug}`,
    providerSlug: slug,
    capability: 'chat',
    pricing: { prompt: price, completion: price },
    priority,
  }));
  return { id, outputModalities: ['text'], endpoints: endpoints as LiveEndpoint[] } as LiveModel;
}

const DEFAULTS = {
  defaultTextModel: null,
  defaultImageModel: null,
  defaultProviderSort: null,
  disabledServerTools: null,
};

function plan(body: RoutableBody, defaults: object = {}): string[] {
  const targets = planTargets(deps, 'chat', body, { ...DEFAULTS, ...defaults });
  return targets.map(({ endpoint: { id } }) => id.replace('m/', ''));
}

describe("the suffix of a model's name", () => {
  test.each<[string, RoutableBody, object, string[]]>([
    ['none', { model: 'm/one' }, {}, ['one@usual', 'one@cheap', 'one@fast']],
    [':floor', { model: 'm/one:floor' }, {}, ['one@cheap', 'one@fast', 'one@usual']],
    [':nitro', { model: 'm/one:nitro' }, {}, ['one@fast', 'one@cheap', 'one@usual']],
    [
      'one that the catalog has',
      { model: 'm/own:floor' },
      {},
      ['own:floor@usual', 'own:floor@cheap', 'own:floor@fast'],
    ],
    [
      'the workspace’s default model',
      {},
      { defaultTextModel: 'm/one:nitro' },
      ['one@fast', 'one@cheap', 'one@usual'],
    ],
    [
      'one under a workspace that sorts otherwise',
      { model: 'm/one:nitro' },
      { defaultProviderSort: 'price' },
      ['one@fast', 'one@cheap', 'one@usual'],
    ],
    [
      'one under a request that sorts otherwise',
      { model: 'm/one:nitro', provider: { sort: { by: 'price' } } },
      {},
      ['one@cheap', 'one@fast', 'one@usual'],
    ],
    [
      'one under a request that names providers',
      { model: 'm/one:nitro', provider: { order: ['usual'] } },
      {},
      ['one@usual', 'one@fast', 'one@cheap'],
    ],
    [
      'a different one for each model',
      { models: ['m/one:floor', 'm/two:nitro'], provider: { allow_fallbacks: false } },
      {},
      ['one@cheap', 'two@fast'],
    ],
    [
      'two for the same model',
      { models: ['m/one:nitro', 'm/one:floor'], provider: { allow_fallbacks: false } },
      {},
      ['one@fast'],
    ],
    [
      'one of several models that are sorted together',
      { models: ['m/one', 'm/two:floor'], route: 'sort', provider: { allow_fallbacks: false } },
      {},
      ['one@cheap'],
    ],
  ])('orders the endpoints: %s', (_what, body, defaults, ids) => {
    expect(plan(body, defaults)).toEqual(ids);
  });

  test('costs no second catalog lookup when the whole name is known', () => {
    const asked: string[] = [];
    const catalog = {
      ...deps.catalog,
      findLiveModel: (name: string) => (asked.push(name), models.get(name)),
      findKnownModel: (name: string) => (asked.push(`known ${name}`), undefined),
    };
    planTargets({ ...deps, catalog }, 'chat', { model: 'm/one' }, DEFAULTS);
    expect(asked).toEqual(['m/one']);
  });
});

describe('a model that serves another operation', () => {
  const known = (capability: string, outputModalities = ['text']): RoutingDeps => ({
    ...deps,
    catalog: {
      ...deps.catalog,
      findLiveModel: () => undefined,
      findKnownModel: () =>
        ({
          id: 'm/x',
          outputModalities,
          endpoints: capability === 'video' ? [] : [{ capability }],
        }) as unknown as KnownModel,
    },
  });

  test.each([
    ['image', 'm/x makes images: use POST /images'],
    ['speech', 'm/x says a text: use POST /audio/speech'],
    ['embeddings', 'm/x makes embeddings: use POST /embeddings'],
    ['rerank', 'm/x sorts documents: use POST /rerank'],
  ])('answers a chat with a 404 that names that operation (%s)', (capability, message) => {
    expect(() => planTargets(known(capability), 'chat', { model: 'm/x' }, DEFAULTS)).toThrow(
      expect.objectContaining({
        code: 'not_found',
        options: {
          reason: 'model_not_found',
          publicMessage: message,
          issues: [{ path: 'body.model', message }],
        },
      }),
    );
  });

  test('names POST /videos for a video model', () => {
    const issues = [{ path: 'body.model', message: 'm/x makes videos: use POST /videos' }];
    expect(() => planTargets(known('video', ['video']), 'chat', { model: 'm/x' }, DEFAULTS)).toThrow(
      expect.objectContaining({ options: expect.objectContaining({ issues }) }),
    );
  });

  test('names POST /chat/completions when an image operation asks for a chat model', () => {
    const message = 'm/x is a chat model: use POST /chat/completions';
    const options = {
      reason: 'model_not_found',
      issues: [{ path: 'body.model', message }],
      publicMessage: message,
    };
    expect(() => planTargets(known('chat'), 'image', { model: 'm/x' }, DEFAULTS)).toThrow(
      expect.objectContaining({ options }),
    );
  });

  test('names the missing credential when the model serves the operation', () => {
    const message = 'm/x is served by providers that this deployment has no credential of';
    expect(() => planTargets(known('chat'), 'chat', { model: 'm/x' }, DEFAULTS)).toThrow(
      expect.objectContaining({
        options: {
          reason: 'no_credential',
          publicMessage: message,
          issues: [{ path: 'body.model', message }],
        },
      }),
    );
  });
});
