import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createCaller, errorOf } from '../support/caller.ts';
import { addChatModel, addUnreachableModel } from '../support/catalog.ts';
import { askChat, completed } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import {
  addCredential,
  clearOwnResources,
  type CustomerServer,
  noticed,
  startCustomerServer,
} from '../support/own-resources.ts';
import { makePreset } from '../support/presets.ts';

let gateway: Gateway;
let server: CustomerServer;

beforeAll(async () => {
  [gateway, server] = await Promise.all([startGateway(), startCustomerServer()]);
  await addUnreachableModel(gateway, 'other/embed-1', 'local/embed-1', {
    provider: 'vendor',
    adapter: 'openai',
  });
  await addChatModel(gateway, 'acme/talk-1.5', [{ provider: 'local', upstreamModelId: 'chat-canned' }], {
    canonicalSlug: 'acme/talk-1.5-2026-05-01',
    createdAt: new Date('2026-05-01'),
  });
  await addChatModel(gateway, 'acme/talk-2', [{ provider: 'local', upstreamModelId: 'chat-canned' }], {
    aliases: ['acme/newest'],
    createdAt: new Date('2026-06-01'),
  });
});
afterAll(async () => {
  await gateway.close();
  await server.close();
});

const post = (path: string, body: object) =>
  createCaller(gateway.origin, gateway.apiKey).call('POST', path, { body });
const get = (path: string) => createCaller(gateway.origin, gateway.apiKey).call('GET', path);
const messages = [{ role: 'user', content: 'Hello' }];

describe("a vendor's own name of a model", () => {
  test.each<[path: string, model: string, body: object]>([
    ['/chat/completions', 'echo-1', { messages }],
    ['/chat/completions', 'echo-1:nitro', { messages, stream: true }],
    ['/completions', 'echo-1', { prompt: 'Hello' }],
    ['/messages', 'echo-1', { messages, max_tokens: 10 }],
    ['/responses', 'echo-1', { input: 'Hello' }],
    ['/embeddings', 'embed-1', { input: 'Hello' }],
    ['/rerank', 'rerank-1', { query: 'Hello', documents: ['Hello'] }],
    ['/audio/speech', 'speech-1', { input: 'Hello' }],
    ['/images', 'image-1', { prompt: 'Hello' }],
    ['/videos', 'clip-1', { prompt: 'Hello' }],
  ])('resolves in POST %s as %s', async (path, model, body) => {
    const response = await post(path, { ...body, model });
    expect([response.status, await response.text()]).toEqual([
      path === '/videos' ? 202 : 200,
      expect.anything(),
    ]);
  });
});

describe('a name of a model', () => {
  test.each([
    ['talk-2', 'acme/talk-2'],
    ['acme/newest', 'acme/talk-2'],
    ['talk-1.5-20260501', 'acme/talk-1.5'],
    ['acme/talk-latest', 'acme/talk-2'],
    ['acme/talk-1.5-latest', 'acme/talk-1.5'],
  ])('resolves in every path of the catalog: %s', async (name, id) => {
    const record = (await (await get(`/models/${encodeURIComponent(name)}`)).json()) as { id: string };
    expect(record.id).toBe(id);
    if (!name.includes('/')) return;
    const { data } = (await (await get(`/models/${name}/endpoints`)).json()) as { data: { id: string } };
    expect(data.id).toBe(id);
  });

  test('resolves in lists of fallbacks and in presets', async () => {
    const fallbacks = await askChat(gateway, { model: undefined, models: ['talk-latest', 'echo-1'] });
    expect((await completed(fallbacks)).model).toBe('acme/talk-2');
    const manager = createCaller(gateway.origin, gateway.managementKey);
    const { slug } = await makePreset(manager, undefined, { model: 'talk-1.5', messages });
    const preset = await askChat(gateway, { model: `@preset/${slug}` });
    expect((await completed(preset)).model).toBe('acme/talk-1.5');
  });

  test('returns 404 with near ids in metadata when several models could have the name', async () => {
    // Two models of this author have this name at their provider.
    const error = await errorOf(await post('/chat/completions', { messages, model: 'acme/chat-canned' }));
    expect(error).toMatchObject({ code: 404, metadata: { nearest_models: ['local/chat-canned'] } });
  });
});

describe('a credential for some models', () => {
  test('serves a model under each of its names, and no other model', async () => {
    await addCredential(gateway, server.apiKey, {
      provider_slug: 'local',
      base_url: server.baseUrl,
      origin: server.origin,
      is_required: true,
      allowed_models: ['acme/talk-2'],
    });
    const reaches = async (model: string) => {
      const before = server.requests('chat').length;
      await completed(await askChat(gateway, { model }));
      return server.requests('chat').length > before;
    };
    await noticed(() => reaches('acme/talk-2'));
    for (const name of ['talk-2', 'acme/newest', 'talk-latest', 'acme/talk-2:floor']) {
      expect([name, await reaches(name)]).toEqual([name, true]);
    }
    for (const name of ['acme/talk-1.5', 'talk-1.5', 'acme/talk-1.5-latest']) {
      expect([name, await reaches(name)]).toEqual([name, false]);
    }
    await clearOwnResources(gateway);
  });
});
