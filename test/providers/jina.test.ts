/** Checks rerank and embeddings at Jina and Voyage, each in its own names of fields. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createOutboundGuard, type OutboundGuard } from '../../platform/outbound-guard.ts';
import type { LiveCallContext } from '../../providers/call-context.ts';
import { createProviderDispatcher } from '../../providers/provider-connection.ts';
import type { Provider } from '../../providers/provider.ts';
import { createProviders } from '../../providers/registry.ts';
import { freeAnswer } from '../support/free-answer.ts';
import { sendJson, startVendorServer, type VendorServer } from '../support/vendor-server.ts';
import { describeRerankAdapter } from './rerank-promises.ts';
import { failureOf } from './text-adapter-under-test.ts';

describeRerankAdapter('jina', { pictures: true });

const dispatcher = createProviderDispatcher();
let vendor: VendorServer;
let outbound: OutboundGuard;

beforeAll(async () => {
  vendor = await startVendorServer();
  outbound = createOutboundGuard({ allow: ['127.0.0.0/8'] });
});
afterAll(async () => {
  await vendor.close();
  await dispatcher.destroy();
  await outbound.close();
});

function providerOf(adapter: 'jina' | 'voyage'): Provider {
  const rows = [{ slug: adapter, adapter, baseUrl: vendor.baseUrl }];
  const credentials = () => ({ apiKey: 'k-1' });
  return createProviders({ rows, credentials, outbound, dispatcher }).get(adapter)!;
}

const context = (): LiveCallContext => ({
  signal: new AbortController().signal,
  requestId: 'req_test',
  timeouts: { firstByteMs: 60_000, idleMs: 60_000, attemptMs: 60_000 },
  answer: freeAnswer(),
});
const sent = () => ({
  path: vendor.calls.at(-1)?.path,
  body: JSON.parse(vendor.calls.at(-1)!.body) as object,
});
const answering = (status: number, value: object): void =>
  void (vendor.answer = (_, response) => sendJson(response, status, value));

describe('rerank at Voyage', () => {
  const request = { model: 'rerank-3', query: 'sea', documents: ['lake', { text: 'shore' }], topN: 1 };
  const rerank = () => providerOf('voyage').rerank!.rerank(request, context());

  test('has its own names for the number of results and for their list', async () => {
    answering(200, {
      object: 'list',
      data: [{ index: 1, relevance_score: 0.8 }],
      model: 'rerank-3',
      usage: { total_tokens: 12 },
    });
    expect(await rerank()).toMatchObject({
      results: [{ index: 1, relevanceScore: 0.8 }],
      usage: { totalTokens: 12 },
    });
    expect(sent()).toEqual({
      path: '/v1/rerank',
      body: { model: 'rerank-3', query: 'sea', documents: ['lake', 'shore'], top_k: 1 },
    });
  });

  test.each([
    [400, 'invalid_request'],
    [401, 'unauthorized'],
    [429, 'rate_limited'],
    [500, 'server_error'],
  ])('fails with status %d as %s', async (status, code) => {
    answering(status, { detail: 'Voyage says why' });
    expect(await failureOf(rerank())).toMatchObject({ code });
  });

  test('shows the detail with which it refuses a request', async () => {
    answering(400, { detail: 'The query is too long' });
    expect((await failureOf(rerank())).publicMessage).toContain('The query is too long');
  });

  test('refuses pictures, which it cannot rank', async () => {
    const documents = [{ image: 'data:image/png;base64,AAAA' }];
    const failure = await failureOf(
      providerOf('voyage').rerank!.rerank({ ...request, documents }, context()),
    );
    expect(failure).toMatchObject({ code: 'invalid_request', sent: false });
  });
});

describe('embeddings', () => {
  const vectors = {
    data: [{ index: 0, embedding: [0.1, 0.2] }],
    usage: { total_tokens: 3, prompt_tokens: 3 },
  };

  test.each([
    ['jina' as const, { dimensions: 2, task: 'retrieval.query' }],
    ['voyage' as const, { output_dimension: 2, input_type: 'query' }],
  ])('takes the fields of OpenAI at %s under other names', async (adapter, fields) => {
    answering(200, vectors);
    const request = {
      model: 'm',
      input: 'a',
      dimensions: 2,
      input_type: 'search_query',
      encoding_format: 'float',
      user: 'u',
    };
    const { data, usage } = await providerOf(adapter).embeddings!.embed(request, context());
    expect([data[0]?.embedding, usage?.prompt_tokens]).toEqual([[0.1, 0.2], 3]);
    expect(sent()).toEqual({ path: '/v1/embeddings', body: { model: 'm', input: 'a', ...fields } });
  });

  test.each([
    ['jina' as const, { embedding_type: 'base64' }],
    ['voyage' as const, { encoding_format: 'base64' }],
  ])('comes in base64 from %s if the caller wants that', async (adapter, fields) => {
    answering(200, { ...vectors, data: [{ index: 0, embedding: 'AACAPwAAAEA=' }] });
    const request = { model: 'm', input: 'a', encoding_format: 'base64' };
    const { data } = await providerOf(adapter).embeddings!.embed(request, context());
    expect(data[0]?.embedding).toBe('AACAPwAAAEA=');
    expect(sent().body).toEqual({ model: 'm', input: 'a', ...fields });
  });

  test('fails if Voyage sends other dimensions than wanted', async () => {
    answering(200, vectors);
    const request = { model: 'm', input: 'a', dimensions: 5 };
    expect(await failureOf(providerOf('voyage').embeddings!.embed(request, context()))).toMatchObject({
      code: 'invalid_response',
    });
  });
});
