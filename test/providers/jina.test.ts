/** Checks rerank and embeddings at Jina and Voyage, each in its own names of fields. */
import { describe, expect, test } from '@jest/globals';
import { describeRerankAdapter } from './rerank-promises.ts';
import { failureOf } from './text-adapter-under-test.ts';
import { setUpVendorOfAnswers } from './vendor-of-answers.ts';

describeRerankAdapter('jina', { pictures: true });

const vendor = setUpVendorOfAnswers();
const answering = (status: number, value: object): void =>
  vendor.answerWith(status, 'application/json', JSON.stringify(value));

describe('rerank at Voyage', () => {
  const request = { model: 'rerank-3', query: 'sea', documents: ['lake', { text: 'shore' }], topN: 1 };
  const rerank = () => vendor.provider('voyage').rerank!.rerank(request, vendor.newContext());

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
    expect(vendor.sent()).toEqual({
      path: '/v1/rerank',
      body: { model: 'rerank-3', query: 'sea', documents: ['lake', 'shore'], top_k: 1 },
    });
  });

  test('shows the detail with which it refuses a request', async () => {
    answering(400, { detail: 'The query is too long' });
    expect((await failureOf(rerank())).publicMessage).toContain('The query is too long');
  });

  test('refuses pictures, which it cannot rank', async () => {
    const documents = [{ image: 'data:image/png;base64,AAAA' }];
    const failure = await failureOf(
      vendor.provider('voyage').rerank!.rerank({ ...request, documents }, vendor.newContext()),
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
    const { data, usage } = await vendor.provider(adapter).embeddings!.embed(request, vendor.newContext());
    expect([data[0]?.embedding, usage?.prompt_tokens]).toEqual([[0.1, 0.2], 3]);
    expect(vendor.sent()).toEqual({ path: '/v1/embeddings', body: { model: 'm', input: 'a', ...fields } });
  });

  test.each([
    ['jina' as const, { embedding_type: 'base64' }],
    ['voyage' as const, { encoding_format: 'base64' }],
  ])('comes in base64 from %s if the caller wants that', async (adapter, fields) => {
    answering(200, { ...vectors, data: [{ index: 0, embedding: 'AACAPwAAAEA=' }] });
    const request = { model: 'm', input: 'a', encoding_format: 'base64' };
    const { data } = await vendor.provider(adapter).embeddings!.embed(request, vendor.newContext());
    expect(data[0]?.embedding).toBe('AACAPwAAAEA=');
    expect(vendor.sent().body).toEqual({ model: 'm', input: 'a', ...fields });
  });

  test('fails if Voyage sends other dimensions than wanted', async () => {
    answering(200, vectors);
    const request = { model: 'm', input: 'a', dimensions: 5 };
    expect(
      await failureOf(vendor.provider('voyage').embeddings!.embed(request, vendor.newContext())),
    ).toMatchObject({
      code: 'invalid_response',
    });
  });
});
