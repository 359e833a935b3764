import { beforeEach, describe, expect, test } from '@jest/globals';
import type { CatalogRows } from '../../../db/catalog/catalog-store.ts';
import type { LiveCapability, LiveEndpoint } from '../../../domain/catalog/catalog.ts';
import { type Catalog, createCatalog } from '../../../services/catalog/catalog.ts';
import { makeModel, makeProvider } from '../../support/make-model.ts';

let catalog: Catalog;
/** Each reading of the rows that is under way. */
let readings: PromiseWithResolvers<CatalogRows>[];

/** Rows that are told apart by the one provider they hold. */
function rows(slug: string): CatalogRows {
  return {
    providers: [makeProvider({ slug })],
    models: [],
    endpoints: [],
    liveEndpoints: [],
    retiredEndpoints: [],
  };
}

function known(): string[] {
  return catalog.providers().map(({ slug }) => slug);
}

beforeEach(async () => {
  readings = [];
  let first = true;
  catalog = await createCatalog({
    isRoutable: () => true,
    store: {
      async load() {
        if (first) {
          first = false;
          return rows('at-start');
        }
        const reading = Promise.withResolvers<CatalogRows>();
        readings.push(reading);
        return reading.promise;
      },
    },
  });
});

describe('a reload of the catalog', () => {
  test('reads once more for calls during a read, and keeps the newest rows', async () => {
    const reloads = [catalog.reload()];
    await turn(1);
    reloads.push(catalog.reload(), catalog.reload());
    readings[0]!.resolve(rows('older'));
    await turn(2);
    readings[1]!.resolve(rows('newest'));
    await Promise.all(reloads);
    expect(known()).toEqual(['newest']);
    expect(readings).toHaveLength(2);
  });

  test('rejects when its read fails, keeps the old rows and works again later', async () => {
    const failing = catalog.reload();
    await turn(1);
    readings[0]!.reject(new Error('no database'));
    await expect(failing).rejects.toThrow('no database');
    expect(known()).toEqual(['at-start']);
    const working = catalog.reload();
    await turn(2);
    readings[1]!.resolve(rows('newest'));
    await working;
    expect(known()).toEqual(['newest']);
  });
});

/** Lets promises settle until so many readings have begun. */
async function turn(count: number): Promise<void> {
  for (let i = 0; i < 20 && readings.length < count; i += 1) await Promise.resolve();
  expect(readings).toHaveLength(count);
}

describe('a model of the catalog', () => {
  const endpoint = (modelId: string, providerSlug: string, capability: LiveCapability): LiveEndpoint => ({
    id: `${modelId}@${providerSlug}`,
    modelId,
    providerSlug,
    capability,
    upstreamModelId: 'm',
    region: 'global',
    pricing: { prompt: '0', completion: '0' },
    contextLength: null,
    maxCompletionTokens: null,
    quantization: null,
    supportedParameters: [],
    collectsData: true,
    zdr: false,
    distillable: false,
    timeouts: {},
    priority: 0,
  });

  beforeEach(async () => {
    catalog = await createCatalog({
      isRoutable: (slug) => slug !== 'closed',
      store: {
        load: async () => ({
          ...rows('open'),
          models: [
            makeModel({ id: 'a/chat', canonicalSlug: 'a/chat-2026', aliases: ['a/talk', 'a/vector'] }),
            makeModel({ id: 'a/chat:free' }),
            makeModel({ id: 'a/gone' }),
            makeModel({ id: 'a/vector', createdAt: new Date(1) }),
          ],
          liveEndpoints: [
            endpoint('a/chat', 'second', 'chat'),
            endpoint('a/chat', 'closed', 'chat'),
            endpoint('a/chat', 'open', 'chat'),
            endpoint('a/chat:free', 'open', 'chat'),
            endpoint('a/gone', 'closed', 'chat'),
            endpoint('a/vector', 'open', 'embeddings'),
          ],
        }),
      },
    });
  });

  test('resolves by id and by canonical slug, with its routable endpoints', () => {
    const found = catalog.findLiveModel('a/chat', 'chat');
    expect(found?.endpoints.map(({ providerSlug }) => providerSlug)).toEqual(['second', 'open']);
    expect(catalog.findLiveModel('a/chat-2026', 'chat')).toBe(found);
  });

  test('resolves by alias, and by alias with the ending of a variant', () => {
    expect(catalog.findLiveModel('a/talk', 'chat')?.id).toBe('a/chat');
    expect(catalog.findListedModel('a/talk')?.id).toBe('a/chat');
    expect(catalog.findListedModel('a/talk:free')?.id).toBe('a/chat:free');
    expect(catalog.findListedModel('a/chat-2026:free')?.id).toBe('a/chat:free');
    expect(catalog.findListedModel('a/talk:nitro')).toBeUndefined();
  });

  test('stays known but unlisted while none of its endpoints is routable', () => {
    expect(catalog.findListedModel('a/gone')).toBeUndefined();
    expect(catalog.findKnownModel('a/gone')?.id).toBe('a/gone');
    expect(catalog.findKnownModel('a/talk:free')?.id).toBe('a/chat:free');
    expect(catalog.findKnownModel('a/nothing')).toBeUndefined();
  });

  test('keeps its names in lists that lack it, so that no check sees another model', () => {
    // `a/vector` is also an alias of a chat model.
    expect(catalog.findLiveModel('a/vector', 'chat')).toBeUndefined();
    expect(catalog.findKnownModel('a/vector')?.id).toBe('a/vector');
  });

  test('keeps its id when another model has it as an alias', () => {
    expect(catalog.findListedModel('a/vector')?.id).toBe('a/vector');
  });

  test('appears in the list for every capability, newest first', () => {
    expect(catalog.listedModels().map(({ id }) => id)).toEqual(['a/vector', 'a/chat', 'a/chat:free']);
    expect(catalog.listedModels()).toBe(catalog.listedModels());
  });

  test('stays apart from its variants', () => {
    expect(catalog.findLiveModel('a/chat:free', 'chat')?.id).toBe('a/chat:free');
    expect(catalog.findLiveModel('a/chat:nitro', 'chat')).toBeUndefined();
  });

  test('does not resolve without routable endpoints, or for a capability it lacks', () => {
    expect(catalog.findLiveModel('a/gone', 'chat')).toBeUndefined();
    expect(catalog.findLiveModel('a/chat', 'embeddings')).toBeUndefined();
    expect(catalog.findVideoModel('a/chat')).toBeUndefined();
    expect(catalog.liveModels('chat').map(({ id }) => id)).toEqual(['a/chat', 'a/chat:free']);
    expect(catalog.liveModels('embeddings').map(({ id }) => id)).toEqual(['a/vector']);
  });

  test('shows the name of its provider, or the slug of an unlisted one', () => {
    expect(catalog.providerName('open')).toBe('open');
    expect(catalog.providerName('nobody')).toBe('nobody');
  });
});
