import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { EmbeddingListBody } from '../../contract/live/embeddings.ts';
import { createCaller, errorOf } from '../support/caller.ts';
import { addEmbeddingsModel } from '../support/catalog.ts';
import { generationIdOf, ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { startLoopbackServer } from '../platform/loopback-server.ts';

const TEXT = { type: 'text', text: 'A boat' };
const PICTURE = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { PROVIDER_NARROW_API_KEY: 'upstream-key' } });
});

afterAll(() => gateway.close());

function embed(body: object): Promise<Response> {
  const request = { model: 'local/embed-1', input: 'The river rose.', ...body };
  return createCaller(gateway.origin, gateway.apiKey).call('POST', '/embeddings', { body: request });
}

async function embedded(body: object): Promise<EmbeddingListBody> {
  const response = await embed(body);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  return JSON.parse(text) as EmbeddingListBody;
}

describe('an embedding', () => {
  test('has a ledger row with its price when the response arrives', async () => {
    const { id, usage } = await embedded({ user: 'someone' });
    expect(await ledgerRow(gateway, id)).toMatchObject({
      status: 'completed',
      provider: 'local',
      tokens_prompt: usage!.prompt_tokens,
      tokens_completion: 0,
      external_user: 'someone',
    });
    expect(usage!.cost).toBeGreaterThan(0);
  });

  test.each([
    ['a text', 'one', 1],
    ['texts', ['one', 'two', 'three'], 3],
    ['tokens', [1, 2, 3], 1],
    ['lists of tokens', [[1, 2], [3]], 2],
  ])('has vectors in the order of the input for %s', async (_what, input, vectors) => {
    const { data } = await embedded({ input, dimensions: 8 });
    expect(data.map(({ index }) => index)).toEqual(Array.from({ length: vectors }, (_, i) => i));
  });

  test('has the same vectors as numbers and as base64', async () => {
    const [numbers, text] = await Promise.all(
      ['float', 'base64'].map((format) => embedded({ encoding_format: format, dimensions: 4 })),
    );
    const bytes = Buffer.from(text!.data[0]!.embedding as string, 'base64');
    const decoded = [0, 4, 8, 12].map((at) => bytes.readFloatLE(at));
    expect(decoded).toEqual((numbers!.data[0]!.embedding as number[]).map((n) => Math.fround(n)));
  });

  test('counts the tokens of a picture and records both input modalities', async () => {
    const upstream = await startLoopbackServer((_request, response) =>
      response.end(JSON.stringify({ data: [{ embedding: [1], index: 0 }] })),
    );
    const content = [TEXT, PICTURE];
    await addEmbeddingsModel(
      gateway,
      'test/eyes',
      [{ provider: 'eyes', adapter: 'openai-compatible', baseUrl: upstream.origin }],
      { inputModalities: ['text', 'image'] },
    );
    const { id, usage } = await embedded({ model: 'test/eyes', input: [{ content }] }).finally(() =>
      upstream.close(),
    );
    expect(usage!.prompt_tokens).toBeGreaterThan(1_000);
    const { rows } = await gateway.database.query<{ input_modalities: number }>(
      'select input_modalities from generations where id = $1',
      [id],
    );
    // A bit each for text and image.
    expect(rows[0]!.input_modalities).toBe(3);
  });

  test('fails with 502 and costs nothing if the upstream omits an input', async () => {
    const upstream = await startLoopbackServer((_request, response) =>
      response.end(JSON.stringify({ data: [{ embedding: [1], index: 0 }] })),
    );
    await addEmbeddingsModel(gateway, 'test/forgetful', [
      { provider: 'forgetful', adapter: 'openai-compatible', baseUrl: upstream.origin },
    ]);
    const response = await embed({ model: 'test/forgetful', input: ['one', 'two'] });
    await upstream.close();
    expect(await errorOf(response)).toMatchObject({
      code: 502,
      metadata: { reason: 'provider_invalid_response' },
    });
    expect(await ledgerRow(gateway, generationIdOf(response))).toMatchObject({ cost_nanos: '0' });
  });

  test("omits the gateway's own fields upstream and keeps all others", async () => {
    await embedded({ session_id: 's', user: 'u', provider: { only: ['local'] }, input_type: 'query' });
    const { fields } = gateway.upstream.requests('embeddings').at(-1)!;
    expect(fields).toMatchObject({ model: 'embed-1', input_type: 'query' });
    for (const name of ['session_id', 'user', 'provider']) expect(fields).not.toHaveProperty(name);
  });
});

describe('an input that one endpoint cannot take', () => {
  /** By Cohere's wire, and by one that takes whatever it is sent. */
  async function addTwofold(id: string, inputModalities: string[]) {
    const upstream = await startLoopbackServer((_request, response) =>
      response.end(JSON.stringify({ data: [{ embedding: [1], index: 0 }] })),
    );
    const open = { provider: 'open', adapter: 'openai-compatible', baseUrl: upstream.origin };
    const narrow = { provider: 'narrow', adapter: 'cohere' };
    await addEmbeddingsModel(gateway, id, [narrow, open], { inputModalities });
    return upstream;
  }

  test.each([
    ['tokens', [1, 2, 3]],
    ['sound', [{ content: [{ type: 'input_audio', input_audio: {} }] }]],
  ])('moves to the next endpoint: %s', async (what, input) => {
    const model = `test/${what}`;
    const upstream = await addTwofold(model, ['text', 'audio']);
    try {
      const provider = { order: ['narrow'] };
      expect(await embedded({ model, input, provider })).toMatchObject({ provider: 'open' });
      const alone = await errorOf(await embed({ model, input, provider: { only: ['narrow'] } }));
      expect(alone.code).toBe(400);
      expect(alone.metadata.issues).toEqual([
        {
          path: expect.stringMatching(/^body\.input/),
          message: expect.stringMatching(/provider of this model/),
        },
      ]);
    } finally {
      await upstream.close();
    }
  });

  test('moves to the model that accepts pictures, among those named', async () => {
    const upstream = await addTwofold('test/sighted', ['text', 'image']);
    try {
      const input = [{ content: [PICTURE] }];
      const body = {
        model: 'local/embed-1',
        models: ['test/sighted'],
        input,
        provider: { ignore: ['narrow'] },
      };
      expect(await embedded(body)).toMatchObject({ model: 'test/sighted', provider: 'open' });
    } finally {
      await upstream.close();
    }
  });
});

describe('POST /embeddings', () => {
  test.each([
    ['nothing', { input: [] }, 'body.input'],
    ['an empty text', { input: '' }, 'body.input'],
    ['too many texts', { input: Array.from({ length: 2_049 }, () => 'x') }, 'body.input'],
    ['no dimension', { dimensions: 0 }, 'body.dimensions'],
    ['no model', { model: undefined }, 'body.model'],
    ['models that are no list', { models: 5 }, 'body.models'],
    ['plugins that are no list', { plugins: 5 }, 'body.plugins'],
    ['tools', { tools: [{ type: 'function' }] }, 'body.tools'],
    [
      'a picture for a model of text',
      { input: [{ content: [TEXT] }, { content: [TEXT, PICTURE] }] },
      'body.input.1.content.1',
    ],
    [
      'sound for a model of text',
      { input: [{ content: [{ type: 'input_audio' }] }] },
      'body.input.0.content.0',
    ],
  ])('answers 400 for %s and names the field', async (_what, body, path) => {
    const { code, metadata } = await errorOf(await embed(body));
    expect(code).toBe(400);
    expect(metadata.issues?.map((issue) => issue.path)).toContain(path);
  });

  test('answers 404 for a chat model', async () => {
    expect((await embed({ model: 'local/echo-1' })).status).toBe(404);
  });

  test('answers 502 for an upstream failure, which is recorded and costs nothing', async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'embeddings', status: 500 });
    const response = await embed({});
    expect(response.status).toBe(502);
    expect(await ledgerRow(gateway, generationIdOf(response))).toMatchObject({
      status: 'failed',
      cost_nanos: '0',
    });
  });
});
