/** Checks embeddings and rerank by InvokeModel, for the models of Amazon and Cohere. */
import { describe, expect, test } from '@jest/globals';
import { sendJson } from '../support/vendor-server.ts';
import type { BedrockCall } from '../support/bedrock-cloud.ts';
import { newContext } from './connected-adapters.ts';
import { setUpBedrock } from './bedrock-under-test.ts';
import { failureOf } from './text-adapter-under-test.ts';

const bedrock = setUpBedrock();
const TITAN = 'amazon.titan-embed-text-v2:0';
const COHERE = 'global.cohere.embed-v4:0';
const PICTURE = { content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] };
const VECTORS = [
  [1, 2],
  [3, 4],
];

const embed = (model: string, input: unknown, more: object = {}) =>
  bedrock.provider().embeddings.embed({ model, input, ...more }, newContext());

function answering(make: (call: BedrockCall) => object): void {
  bedrock.cloud.answer = (call, response) => sendJson(response, 200, make(call));
}

describe('embeddings of Titan', () => {
  test('ask once for each text, keep the order, and add up the tokens', async () => {
    answering(({ body }) => ({ embedding: [String(body['inputText']).length, 1], inputTextTokenCount: 2 }));
    const options = { dimensions: 2, normalize: false };
    const input = Array.from({ length: 6 }, (_, i) => 'x'.repeat(i + 1));
    const { data, usage } = await embed(TITAN, input, { ...options, input_type: 'query' });
    expect(data.map(({ embedding }) => embedding[0])).toEqual([1, 2, 3, 4, 5, 6]);
    expect(usage).toMatchObject({ prompt_tokens: 12, total_tokens: 12 });
    const bodies = input.map((inputText) => ({ inputText, ...options }));
    const calls = bodies.map((body) => ({ model: TITAN, operation: 'invoke', body }));
    expect(new Set(bedrock.cloud.calls)).toEqual(new Set(calls));
  });

  test('come in base64 if the caller wants that', async () => {
    answering(() => ({ embedding: [1, 2], inputTextTokenCount: 1 }));
    const { data } = await embed(TITAN, 'a', { encoding_format: 'base64' });
    expect(data[0]?.embedding).toBe('AACAPwAAAEA=');
  });

  test('refuse pictures before anything is sent', async () => {
    const error = await failureOf(embed(TITAN, [PICTURE]));
    expect(error).toMatchObject({ code: 'invalid_request', sent: false });
    expect(error.issue?.path).toBe('body.input.0.content.0');
    expect(bedrock.cloud.calls).toEqual([]);
  });
});

describe('embeddings of Cohere', () => {
  test('ask once for all texts, and read the tokens in the header', async () => {
    bedrock.cloud.answer = (_, response) => {
      response.setHeader('x-amzn-bedrock-input-token-count', '7');
      sendJson(response, 200, { embeddings: { float: VECTORS }, response_type: 'embeddings_by_type' });
    };
    const texts = ['a', 'b'];
    const { data, usage } = await embed(COHERE, texts, { dimensions: 2, input_type: 'query' });
    expect(data.map(({ embedding }) => embedding)).toEqual(VECTORS);
    expect(usage?.prompt_tokens).toBe(7);
    const types = { input_type: 'search_query', embedding_types: ['float'] };
    expect(bedrock.cloud.calls.map(({ body }) => body)).toEqual([{ texts, ...types, output_dimension: 2 }]);
  });

  test('take pictures', async () => {
    answering(() => ({ embeddings: { float: [[1]] } }));
    expect((await embed(COHERE, [PICTURE])).usage).toBeUndefined();
    expect(bedrock.sent()).toMatchObject({ inputs: [PICTURE], input_type: 'search_document' });
  });

  test('fail for another number of vectors than texts', async () => {
    answering(() => ({ embeddings: { float: [[1]] } }));
    expect(await failureOf(embed(COHERE, ['a', 'b']))).toMatchObject({ code: 'invalid_response' });
  });
});

describe('a ranking', () => {
  test.each([
    ['amazon.rerank-v1:0', {}],
    ['cohere.rerank-v3-5:0', { api_version: 2 }],
  ])('has the body of Cohere for %s, and counts queries of 100 documents', async (model, version) => {
    answering(() => ({ results: [{ index: 1, relevance_score: 0.9 }] }));
    const rank = (documents: string[]) =>
      bedrock.provider().rerank.rerank({ model, query: 'sea', documents, topN: 1 }, newContext());
    const results = [{ index: 1, relevanceScore: 0.9 }];
    expect(await rank(['lake', 'shore'])).toMatchObject({ results, usage: { searchUnits: 1 } });
    expect(bedrock.sent()).toEqual({ query: 'sea', documents: ['lake', 'shore'], top_n: 1, ...version });
    expect((await rank(Array<string>(101).fill('lake'))).usage.searchUnits).toBe(2);
    expect((await rank(['lake', 'x'.repeat(199_001)])).usage.searchUnits).toBe(2);
  });
});
