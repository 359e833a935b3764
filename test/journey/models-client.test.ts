import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OpenRouter } from '@openrouter/sdk';
import { BadRequestResponseError, NotFoundResponseError } from '@openrouter/sdk/models/errors';
import { addChatModel } from '../support/catalog.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { publishedClient } from '../support/published-client.ts';

let gateway: Gateway;
let client: OpenRouter;

beforeAll(async () => {
  gateway = await startGateway();
  client = publishedClient(gateway, gateway.apiKey);
  for (const id of ['test/b', 'test/b:free']) await addChatModel(gateway, id, [{ provider: 'local' }]);
});

afterAll(() => gateway.close());

describe('the published client', () => {
  test('lists models, whole and page by page', async () => {
    const whole: string[] = [];
    for await (const { result } of await client.models.list()) {
      whole.push(...result.data.map(({ id }) => id));
      expect(result.totalCount).toBe(4);
    }
    const paged: string[] = [];
    for await (const { result } of await client.models.list({ limit: 1 })) {
      paged.push(...result.data.map(({ id }) => id));
    }
    expect(paged).toEqual(whole);
    expect(whole).toHaveLength(4);
  });

  test('filters and sorts the list', async () => {
    const { result } = await client.models.list({
      outputModalities: 'all',
      supportedParameters: 'tools,seed',
      inputModalities: 'text',
      q: 'test',
      context: 1,
      minPrice: 0,
      maxPrice: 1.5,
      modelAuthors: 'test,local',
      providers: 'Local upstream',
      distillable: 'true',
      zdr: 'true',
      maxAgeDays: 1,
      sort: 'latency-low-to-high',
    });
    // Neither has a context of its own.
    expect(result.data).toEqual([]);
    const { result: newest } = await client.models.list({ q: 'TEST b', sort: 'newest' });
    expect(newest.data.map(({ id }) => id)).toEqual(['test/b:free', 'test/b']);
  });

  test('parses every kind of model', async () => {
    const { result } = await client.models.list({ outputModalities: 'all' });
    const byId = new Map(result.data.map((model) => [model.id, model]));
    expect(byId.get('local/speech-1')).toMatchObject({
      architecture: { outputModalities: ['speech'] },
      supportedVoices: expect.arrayContaining([expect.any(String)]),
    });
    expect(byId.get('local/clip-1')).toMatchObject({ pricing: { prompt: '0' }, supportedVoices: null });
    const { data } = await client.models.count({ outputModalities: 'all' });
    expect(data.count).toBe(byId.size);
  });

  test('reads a model by its variant, and its endpoints', async () => {
    const { data } = await client.models.get({ author: 'test', slug: 'b:free' });
    expect(data.id).toBe('test/b:free');
    const endpoints = await client.endpoints.list({ author: 'test', slug: 'b:free' });
    expect(endpoints.data).toMatchObject({ id: 'test/b:free', endpoints: [{ modelId: 'test/b:free' }] });
  });

  test('lists endpoints without retention, providers and embeddings models', async () => {
    const zdr = await client.endpoints.listZdrEndpoints();
    expect(zdr.data.map(({ modelId }) => modelId)).toContain('local/echo-1');
    expect((await client.providers.list()).data).toMatchObject([{ slug: 'local' }]);
    const { result } = await client.embeddings.listModels();
    expect(result.data.map(({ id }) => id)).toEqual(['local/embed-1']);
  });

  test('lists the models of its key', async () => {
    const { result } = await client.models.listForUser({ bearer: gateway.apiKey });
    expect(result.totalCount).toBe(4);
  });

  test('throws its own error class for 400 and 404', async () => {
    await expect(client.models.get({ author: 'a', slug: 'b' })).rejects.toThrow(NotFoundResponseError);
    await expect(client.models.list({ limit: 2_000 })).rejects.toThrow(BadRequestResponseError);
  });
});
