import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createCaller, errorOf } from '../support/caller.ts';
import {
  addChatModel,
  addEmbeddingsModel,
  addImageModel,
  addRerankModel,
  addSpeechModel,
} from '../support/catalog.ts';
import { askChat, completed, generationIdOf, ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { updateWorkspace } from '../support/workspaces.ts';

const DEAR = { provider: 'dear', adapter: 'openai-compatible' };
const DEAR_MEDIA = { provider: 'dear', adapter: 'openai' };

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { PROVIDER_DEAR_API_KEY: 'upstream-key' } });
  // The catalog's own order has the dear endpoint first.
  const text = [
    { ...DEAR, pricing: { prompt: '0.01', completion: '0.01' } },
    { provider: 'local', pricing: { prompt: '0.000001', completion: '0.000001' } },
  ];
  await addChatModel(gateway, 'test/two', text);
  await addChatModel(gateway, 'test/other', text);
  await addChatModel(gateway, 'test/named:floor', [{ provider: 'local' }]);
  await addEmbeddingsModel(gateway, 'test/vectors', text);
  await addSpeechModel(gateway, 'test/voices', [
    { ...DEAR_MEDIA, pricing: { prompt: '0', completion: '0', character: '0.01' } },
    { provider: 'local' },
  ]);
  await addImageModel(gateway, 'test/pictures', [
    { ...DEAR_MEDIA, pricing: { prompt: '0', completion: '0', outputImage: '9' } },
    { provider: 'local' },
  ]);
  await addRerankModel(gateway, 'test/rerank', [{ provider: 'local' }]);
});

afterAll(() => gateway.close());

function call(path: string, body: object): Promise<Response> {
  return createCaller(gateway.origin, gateway.apiKey).call('POST', path, { body });
}

async function providerOf(body: object): Promise<string> {
  return (await completed(await askChat(gateway, body))).provider;
}

const chat = { messages: [{ role: 'user', content: 'Hello' }] };

describe('a model name that ends in :floor', () => {
  test('selects the cheapest endpoint, and the answer names the model', async () => {
    expect(await providerOf({ model: 'test/two' })).toBe('dear');
    const answer = await completed(await askChat(gateway, { model: 'test/two:floor' }));
    expect([answer.provider, answer.model]).toEqual(['Local upstream', 'test/two']);
  });

  test.each<[string, string, object]>([
    ['a message', '/messages', { ...chat, model: 'test/two:floor', max_tokens: 9 }],
    ['a response', '/responses', { model: 'test/two:floor', input: 'Hello' }],
    ['a completion', '/completions', { model: 'test/two:floor', prompt: 'Hello' }],
    ['an embedding', '/embeddings', { model: 'test/vectors:floor', input: 'Hello' }],
    ['speech', '/audio/speech', { model: 'test/voices:floor', input: 'Hello', voice: 'alto' }],
    ['an image', '/images', { model: 'test/pictures:floor', prompt: 'x' }],
    ['a ranking', '/rerank', { model: 'test/rerank:floor', query: 'x', documents: ['x'] }],
  ])('selects the cheapest endpoint for %s', async (_what, path, body) => {
    const response = await call(path, body);
    await response.arrayBuffer();
    expect(response.status).toBe(200);
    expect((await ledgerRow(gateway, generationIdOf(response))).provider).toBe('local');
  });

  test('means the model of that name if the catalog has one', async () => {
    const { model } = await completed(await askChat(gateway, { model: 'test/named:floor' }));
    expect(model).toBe('test/named:floor');
  });

  test("sorts only its own model's endpoints in a list of models", async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 500, times: 4 });
    const response = await askChat(gateway, { model: 'test/two:floor', models: ['test/other'] });
    expect(response.status).toBe(502);
    await response.text();
    const { provider_responses: responses } = await ledgerRow(gateway, generationIdOf(response));
    expect(responses.map(({ endpoint_id: id }) => id)).toEqual([
      'test/two@local',
      'test/two@dear',
      'test/other@dear',
      'test/other@local',
    ]);
    gateway.upstream.clearFaults();
  });

  test('sorts the endpoints of all models with partition "none"', async () => {
    const provider = { sort: { partition: 'none' } };
    expect(await providerOf({ model: 'test/other', models: ['test/two:floor'], provider })).toBe(
      'Local upstream',
    );
  });

  test('yields to provider.sort and to provider.order', async () => {
    expect(await providerOf({ model: 'test/two:floor', provider: { sort: 'exacto' } })).toBe('dear');
    expect(await providerOf({ model: 'test/two:floor', provider: { order: ['dear'] } })).toBe('dear');
  });

  test('works before a preset and inside one', async () => {
    const manager = createCaller(gateway.origin, gateway.managementKey);
    const body = { ...chat, model: 'test/two:floor' };
    await (await manager.call('POST', '/presets/frugal/chat/completions', { body })).text();
    expect(await providerOf({ model: '@preset/frugal' })).toBe('Local upstream');
    expect(await providerOf({ model: 'test/other:floor@preset/frugal' })).toBe('Local upstream');
    expect(await providerOf({ model: 'test/other@preset/frugal' })).toBe('dear');
  });

  test("overrides the workspace's default_provider_sort", async () => {
    const manager = createCaller(gateway.origin, gateway.managementKey);
    await updateWorkspace(manager, gateway.workspaceId, { default_provider_sort: 'exacto' });
    expect(await providerOf({ model: 'test/two:floor' })).toBe('Local upstream');
  });
});

test('a model name that ends in :nitro selects the model', async () => {
  const { model } = await completed(await askChat(gateway, { model: 'test/two:nitro' }));
  expect(model).toBe('test/two');
});

describe('a model name with another ending', () => {
  test.each([':online', ':thinking', ':extended', ':exacto', ':beta'])(
    'gets 400 with an explanation: %s',
    async (ending) => {
      const { code, metadata } = await errorOf(await askChat(gateway, { model: `test/two${ending}` }));
      expect([code, metadata.reason]).toEqual([400, 'invalid_request']);
      expect(metadata.issues).toEqual([
        { path: 'body.model', message: expect.stringMatching(new RegExp(`^${ending} asks .*test/two`)) },
      ]);
      const listed = await errorOf(await askChat(gateway, { models: ['test/two', `test/two${ending}`] }));
      expect(listed.metadata.issues).toMatchObject([{ path: 'body.models' }]);
    },
  );

  test.each(['test/two:free', 'no/such:floor', 'test/two:floor:nitro'])(
    'gets 404 model_not_found: %s',
    async (model) => {
      const { code, metadata } = await errorOf(await askChat(gateway, { model }));
      expect([code, metadata.reason]).toEqual([404, 'model_not_found']);
    },
  );

  test('gets 400 from POST /videos', async () => {
    const { code, metadata } = await errorOf(
      await call('/videos', { model: 'local/clip-1:online', prompt: 'x' }),
    );
    expect([code, metadata.issues]).toMatchObject([400, [{ path: 'body.model' }]]);
  });
});
