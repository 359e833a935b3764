/** Checks rerank and embeddings at Jina and Voyage, each in its own names of fields. */
import { describe, expect, test } from '@jest/globals';
import type { RerankRequest } from '../../providers/rerank-adapter.ts';
import { describeRerankAdapter } from './rerank-promises.ts';
import { failureOf } from './text-adapter-under-test.ts';
import { setUpVendorOfAnswers } from './vendor-of-answers.ts';

describeRerankAdapter('jina', { pictures: true });

const vendor = setUpVendorOfAnswers();
const answering = (value: object): void => vendor.answerWith(200, 'application/json', JSON.stringify(value));

describe('rerank at Voyage', () => {
  const rerank = (...documents: RerankRequest['documents']) => {
    const request = { model: 'rerank-3', query: 'sea', documents, topN: 1 };
    return vendor.provider('voyage').rerank!.rerank(request, vendor.newContext());
  };

  test('has its own names for the number of results and for their list', async () => {
    const data = [{ index: 1, relevance_score: 0.8 }];
    answering({ object: 'list', data, model: 'rerank-3', usage: { total_tokens: 12 } });
    const { results, usage } = await rerank('lake', { text: 'shore' });
    expect([results, usage?.totalTokens]).toEqual([[{ index: 1, relevanceScore: 0.8 }], 12]);
    const body = { model: 'rerank-3', query: 'sea', documents: ['lake', 'shore'], top_k: 1 };
    expect(vendor.sent()).toEqual({ path: '/v1/rerank', body });
  });

  test('refuses pictures, which it cannot rank', async () => {
    const failure = await failureOf(rerank({ image: 'data:image/png;base64,AAAA' }));
    expect(failure).toMatchObject({ code: 'invalid_request', sent: false });
  });
});

describe('embeddings', () => {
  const embed = (adapter: string, more: object) =>
    vendor.provider(adapter).embeddings!.embed({ model: 'm', input: 'a', ...more }, vendor.newContext());
  const answeringVector = (embedding: number[] | string) =>
    answering({ data: [{ index: 0, embedding }], usage: { total_tokens: 3, prompt_tokens: 3 } });
  const usual = { dimensions: 2, input_type: 'search_query', encoding_format: 'float', user: 'u' };
  const inBase64 = { encoding_format: 'base64' };

  test.each([
    ['jina', usual, [0.1, 0.2], { dimensions: 2, task: 'retrieval.query' }],
    ['voyage', usual, [0.1, 0.2], { output_dimension: 2, input_type: 'query' }],
    ['jina', inBase64, 'AACAPwAAAEA=', { embedding_type: 'base64' }],
    ['voyage', inBase64, 'AACAPwAAAEA=', { encoding_format: 'base64' }],
  ])('take the fields of OpenAI at %s under other names: %j', async (adapter, more, vector, fields) => {
    answeringVector(vector);
    const { data, usage } = await embed(adapter, more);
    expect([data[0]?.embedding, usage?.prompt_tokens]).toEqual([vector, 3]);
    expect(vendor.sent()).toEqual({ path: '/v1/embeddings', body: { model: 'm', input: 'a', ...fields } });
  });

  test('fail if Voyage sends other dimensions than wanted', async () => {
    answeringVector([0.1, 0.2]);
    const failure = await failureOf(embed('voyage', { dimensions: 5 }));
    expect(failure).toMatchObject({ code: 'invalid_response' });
  });
});
