import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import OpenAI from 'openai';
import { createCaller, errorOf } from '../support/caller.ts';
import { addChatModel } from '../support/catalog.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { openaiClient } from '../support/sdk-clients.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  await addChatModel(gateway, 'test/free:free', [{ provider: 'local' }]);
});

afterAll(() => gateway.close());

const call = (path: string, headers = {}) =>
  createCaller(gateway.origin, gateway.apiKey).call('GET', path, { headers });

async function get(path: string): Promise<unknown> {
  const response = await call(path);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

test.each([
  '/models',
  '/models?limit=1',
  '/models?output_modalities=all',
  '/models/user',
  '/embeddings/models',
])('%s has the shape of an OpenAI list', async (path) => {
  const { object, data } = (await get(path)) as { object: string; data: { id: string }[] };
  expect(object).toBe('list');
  expect(data.length).toBeGreaterThan(0);
  for (const model of data) {
    const owner = model.id.split('/')[0];
    expect(model).toMatchObject({ object: 'model', owned_by: owner, created: expect.any(Number) });
  }
});

describe('GET /models/{model}', () => {
  test.each(['/models/local/echo-1', '/models/local%2Fecho-1'])(
    "answers with OpenAI's fields, and the gateway's in `data`: %s",
    async (path) => {
      const { data } = (await get('/model/local/echo-1')) as { data: { created: number } };
      expect(await get(path)).toEqual({
        id: 'local/echo-1',
        object: 'model',
        created: data.created,
        owned_by: 'local',
        data,
      });
    },
  );

  test('finds a model with its variant', async () => {
    for (const path of ['/models/test/free:free', '/models/test%2Ffree:free', '/models/test%2Ffree%3Afree']) {
      expect(await get(path)).toMatchObject({ id: 'test/free:free' });
    }
  });

  test.each(['/models/no/such', '/models/no%2Fsuch', '/models/nothing'])(
    'answers 404 to an unknown model: %s',
    async (path) => {
      expect(await errorOf(await call(path))).toMatchObject({ code: 404 });
    },
  );

  test("leaves /models/count, /models/user and the model's endpoints reachable", async () => {
    expect(await get('/models/count')).toEqual({ data: { count: expect.any(Number) } });
    expect(await get('/models/user')).toMatchObject({ data: expect.any(Array) });
    expect(await get('/models/local/echo-1/endpoints')).toMatchObject({ data: { id: 'local/echo-1' } });
  });

  test('answers 304 to a client that has the ETag', async () => {
    const first = await call('/models/local%2Fecho-1');
    await first.text();
    const again = await call('/models/local%2Fecho-1', { 'if-none-match': first.headers.get('etag')! });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test("answers OpenAI's client, unknown models included", async () => {
    const client = openaiClient(gateway);
    expect(await client.models.retrieve('local/echo-1')).toMatchObject({
      id: 'local/echo-1',
      object: 'model',
      owned_by: 'local',
    });
    await expect(client.models.retrieve('no/such')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });
});

test('GET /auth/key answers like GET /key', async () => {
  expect(await get('/auth/key')).toEqual(await get('/key'));
});
