import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RankingBody } from '../../contract/live/rerank.ts';
import { startLoopbackServer } from '../platform/loopback-server.ts';
import { addKey } from '../support/accounts.ts';
import { createCaller, errorOf } from '../support/caller.ts';
import { addRerankModel } from '../support/catalog.ts';
import { ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const QUERY = 'the old lighthouse';
const DOCUMENTS = ['a lake in winter', 'the lighthouse', 'an old lighthouse by the sea'];

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { PROVIDER_TEXTS_API_KEY: 'upstream-key' } });
});

afterAll(() => gateway.close());

function rerank(body: object, key = gateway.apiKey, headers: Record<string, string> = {}): Promise<Response> {
  const request = { model: 'local/rerank-1', query: QUERY, documents: DOCUMENTS, ...body };
  return createCaller(gateway.origin, key).call('POST', '/rerank', { body: request, headers });
}

async function ranked(body: object, headers?: Record<string, string>): Promise<RankingBody> {
  const response = await rerank(body, gateway.apiKey, headers);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  const ranking = JSON.parse(text) as RankingBody;
  expect(response.headers.get('x-generation-id')).toBe(ranking.id);
  return ranking;
}

const asked = () => gateway.upstream.requests('rerank').at(-1)!.fields!;

describe('a ranking', () => {
  test('contains every document as sent, the most relevant first', async () => {
    const { results, model, provider } = await ranked({});
    expect(results.map(({ index, document }) => [index, document])).toEqual([
      [2, { text: DOCUMENTS[2] }],
      [1, { text: DOCUMENTS[1] }],
      [0, { text: DOCUMENTS[0] }],
    ]);
    const scores = results.map(({ relevance_score: score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect([model, provider]).toEqual(['local/rerank-1', 'Local upstream']);
  });

  test.each([
    [1, [2]],
    [2, [2, 1]],
    [50, [2, 1, 0]],
    [null, [2, 1, 0]],
  ])('contains the best documents only with top_n %s', async (topN, indexes) => {
    const { results } = await ranked({ top_n: topN });
    expect(results.map(({ index }) => index)).toEqual(indexes);
  });

  test('returns texts and pictures, and its row records both modalities', async () => {
    const documents = ['x', { text: 'a lighthouse' }, { image: PNG }, { text: 'an old boat', image: PNG }];
    const { results, id } = await ranked({ documents, query: 'png boat', top_n: 2 });
    expect(results).toMatchObject([
      { index: 3, document: { text: 'an old boat', image: PNG } },
      { index: 2, document: { image: PNG } },
    ]);
    expect(asked()['documents']).toEqual([
      'x',
      'a lighthouse',
      { image: PNG },
      { text: 'an old boat', image: PNG },
    ]);
    const { rows } = await gateway.database.query<{ input_modalities: number }>(
      'select input_modalities from generations where id = $1',
      [id],
    );
    // A bit each for text and image.
    expect(rows[0]!.input_modalities).toBe(3);
  });

  test('sends the vendor a remote picture, and shows the caller its address', async () => {
    const host = await startLoopbackServer((_request, response) => {
      response.setHeader('content-type', 'image/png').end(Buffer.from(PNG.split(',')[1]!, 'base64'));
    });
    const image = `${host.origin}/boat.png`;
    const { results } = await ranked({ documents: [{ image }] }).finally(() => host.close());
    expect(results[0]!.document).toEqual({ image });
    expect(asked()['documents']).toEqual([{ image: PNG }]);
  });

  test('sends the vendor a normalized data URL, and shows the caller the original', async () => {
    const image = PNG.replace('data:image/png;base64', 'DATA:IMAGE/PNG;BASE64');
    const { results } = await ranked({ documents: [{ image }] });
    expect(results[0]!.document).toEqual({ image });
    expect(asked()['documents']).toEqual([{ image: PNG }]);
  });

  test('uses a model that takes pictures before a cheaper one that does not', async () => {
    const pricing = { prompt: '0', completion: '0' };
    await addRerankModel(gateway, 'test/blind', [{ provider: 'local', pricing }]);
    const { model } = await ranked({
      model: 'test/blind',
      models: ['local/rerank-1'],
      documents: [{ image: PNG }],
      provider: { sort: { by: 'price', partition: 'none' }, allow_fallbacks: false },
    });
    expect(model).toBe('local/rerank-1');
  });

  test('uses the provider that takes pictures among those of the model', async () => {
    await addRerankModel(
      gateway,
      'test/both',
      [{ provider: 'texts', adapter: 'cohere' }, { provider: 'local' }],
      { inputModalities: ['text', 'image'] },
    );
    const body = { model: 'test/both', documents: ['x', { image: PNG }] };
    expect(await ranked({ ...body, documents: ['x'] })).toMatchObject({ provider: 'texts' });
    const { id, provider } = await ranked(body);
    expect(provider).toBe('Local upstream');
    // The other was not even asked.
    expect((await ledgerRow(gateway, id)).provider_responses).toHaveLength(1);
    const alone = await errorOf(await rerank({ ...body, provider: { only: ['texts'] } }));
    expect(alone).toMatchObject({
      code: 400,
      metadata: {
        issues: [
          {
            path: 'body.documents.1.image',
            message: 'cannot be ranked by test/both, whose providers take text only',
          },
        ],
      },
    });
    const nowhere = await rerank({ ...body, provider: { only: ['nobody'] } });
    expect((await errorOf(nowhere)).code).toBe(404);
  });

  test('answers 400 for a picture at a private address, and costs nothing', async () => {
    const documents = ['x', { image: PNG }, { image: 'https://10.0.0.1/a.png' }];
    const response = await rerank({ documents });
    const { code, message, metadata } = await errorOf(response);
    expect(code).toBe(400);
    expect(message).toBe('Invalid request parameters');
    expect(metadata.issues).toEqual([
      { path: 'body.documents.2.image', message: 'must have an address that is allowed' },
    ]);
    const id = response.headers.get('x-generation-id')!;
    expect(await ledgerRow(gateway, id)).toMatchObject({ status: 'failed', cost_nanos: '0' });
  });

  test('sorts and cuts the results of an upstream that does not sort', async () => {
    const upstream = await startLoopbackServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { documents } = JSON.parse(Buffer.concat(chunks).toString()) as { documents: string[] };
        const scores = [0.1, 0.9, 0.5].slice(0, documents.length);
        const results = scores.map((score, index) => ({ index, relevance_score: score }));
        response.end(JSON.stringify({ results }));
      });
    });
    await addRerankModel(gateway, 'test/unsorted', [
      { provider: 'unsorted', adapter: 'openai-compatible', baseUrl: upstream.origin },
    ]);
    const ranking = await ranked({ model: 'test/unsorted', top_n: 2 }).finally(() => upstream.close());
    expect(ranking.results.map(({ index }) => index)).toEqual([1, 2]);
  });
});

describe('the usage of a ranking', () => {
  test('appears with its cost in the answer, the ledger and GET /generation', async () => {
    const { id, usage } = await ranked({ user: 'someone', session_id: 'visit' });
    expect(usage).toEqual({ search_units: 1, total_tokens: expect.any(Number), cost: 0.0001 });
    expect(await ledgerRow(gateway, id)).toMatchObject({
      api_type: 'rerank',
      status: 'completed',
      provider: 'local',
      cost_nanos: '100000',
      tokens_prompt: usage.total_tokens,
      tokens_completion: 0,
      external_user: 'someone',
      session_id: 'visit',
    });
    const found = await createCaller(gateway.origin, gateway.apiKey).call('GET', `/generation?id=${id}`);
    expect(await found.json()).toMatchObject({
      data: { api_type: 'rerank', total_cost: 0.0001, provider_name: 'Local upstream' },
    });
  });

  test('counts one search for each hundred documents', async () => {
    const documents = Array.from({ length: 201 }, (_, i) => `document ${i}`);
    expect((await ranked({ documents })).usage).toMatchObject({ search_units: 3, cost: 0.0003 });
  });

  test('costs the sum of its tokens, its searches and its request', async () => {
    const pricing = { prompt: '0.001', completion: '0', request: '0.5', searchUnit: '0.25' };
    await addRerankModel(gateway, 'test/dear', [{ provider: 'local', pricing }]);
    const { usage } = await ranked({ model: 'test/dear' });
    expect(usage.cost).toBeCloseTo(0.75 + usage.total_tokens! / 1_000, 9);
  });

  test.each([
    [
      { prompt: '0', completion: '0', searchUnit: '0.01' },
      { search_units: 1, cost: 0.01 },
    ],
    [
      { prompt: '0.001', completion: '0' },
      { total_tokens: 30, cost: 0.03 },
    ],
    [{ prompt: '0', completion: '0' }, { cost: 0 }],
  ])('contains estimates if the upstream reports none and the price is %j', async (pricing, usage) => {
    const upstream = await startLoopbackServer((_request, response) =>
      response.end(JSON.stringify({ results: [{ index: 0, relevance_score: 1 }] })),
    );
    const slug = `uncounted-${Object.keys(usage).join('-').replaceAll('_', '-')}`;
    await addRerankModel(gateway, `test/${slug}`, [
      { provider: slug, adapter: 'openai-compatible', baseUrl: upstream.origin, pricing },
    ]);
    const ranking = await ranked({ model: `test/${slug}` }).finally(() => upstream.close());
    expect(ranking.usage).toEqual(usage);
  });

  test('a key with a spent limit gets 402 before any upstream call', async () => {
    const { token } = await addKey(gateway, { limitNanos: 0n });
    const before = gateway.upstream.requests('rerank').length;
    expect(await errorOf(await rerank({}, token))).toMatchObject({
      code: 402,
      message: 'Key limit exceeded',
    });
    expect(gateway.upstream.requests('rerank')).toHaveLength(before);
  });
});

describe('the upstream request of a ranking', () => {
  test("contains the caller's options, and nothing of the gateway's own", async () => {
    const provider = { only: ['local'], options: { local: { priority: 1, query: 'x' }, cohere: { a: 1 } } };
    await ranked({ session_id: 's', user: 'u', trace: { trace_id: 't' }, provider, max_tokens_per_doc: 9 });
    expect(asked()).toEqual({
      model: 'rerank-1',
      query: QUERY,
      documents: DOCUMENTS,
      priority: 1,
      max_tokens_per_doc: 9,
    });
  });

  test('omits the session of the header, which the row records', async () => {
    const { id } = await ranked({}, { 'x-session-id': 'from-the-header' });
    expect(await ledgerRow(gateway, id)).toMatchObject({ session_id: 'from-the-header' });
    expect(JSON.stringify(asked())).not.toContain('from-the-header');
  });
});
