/** Checks embeddings and rerank by InvokeModel, for the models of Amazon and Cohere. */
import { describe, expect, test } from '@jest/globals';
import type { BedrockCall } from '../support/bedrock-cloud.ts';
import { setUpBedrock } from './bedrock-under-test.ts';
import { failureOf } from './text-adapter-under-test.ts';

const bedrock = setUpBedrock();
const TITAN = 'amazon.titan-embed-text-v2:0';
const COHERE = 'global.cohere.embed-v4:0';
const PNG = 'data:image/png;base64,AAAA';
const TOKENS = 'x-amzn-bedrock-input-token-count';

const embed = (request: { model: string; [field: string]: unknown }) =>
  bedrock.provider().embeddings!.embed(request, bedrock.newContext());

function answering(make: (call: BedrockCall) => object, headers: Record<string, string> = {}): void {
  bedrock.cloud.calls.length = 0;
  bedrock.cloud.answer = (call, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(make(call)));
  };
}

describe('embeddings of Titan', () => {
  test('ask once for each text, keep the order, and add up the tokens', async () => {
    answering(({ body }) => ({ embedding: [String(body['inputText']).length, 1], inputTextTokenCount: 2 }));
    const input = Array.from({ length: 6 }, (_, i) => 'x'.repeat(i + 1));
    const { data, usage } = await embed({ model: TITAN, input, dimensions: 2, normalize: false });
    expect(data.map(({ embedding }) => embedding[0])).toEqual([1, 2, 3, 4, 5, 6]);
    expect(usage).toMatchObject({ prompt_tokens: 12, total_tokens: 12 });
    expect(bedrock.cloud.calls.map(({ operation }) => operation)).toEqual(Array(6).fill('invoke'));
    expect(bedrock.cloud.calls.find(({ body }) => body['inputText'] === 'x')).toMatchObject({
      model: TITAN,
      body: { inputText: 'x', dimensions: 2, normalize: false },
    });
  });

  test('come in base64 if the caller wants that', async () => {
    answering(() => ({ embedding: [1, 2], inputTextTokenCount: 1 }));
    const { data } = await embed({ model: TITAN, input: 'a', encoding_format: 'base64' });
    expect(data[0]?.embedding).toBe('AACAPwAAAEA=');
  });

  test('refuse pictures before anything is sent', async () => {
    answering(() => ({}));
    const input = [{ content: [{ type: 'image_url', image_url: { url: PNG } }] }];
    const error = await failureOf(embed({ model: TITAN, input }));
    expect(error).toMatchObject({ code: 'invalid_request', sent: false });
    expect(error.issue?.path).toBe('body.input.0.content.0');
    expect(bedrock.cloud.calls).toEqual([]);
  });
});

describe('embeddings of Cohere', () => {
  test('ask once for all texts, and read the tokens in the header', async () => {
    answering(
      () => ({
        embeddings: {
          float: [
            [1, 2],
            [3, 4],
          ],
        },
        response_type: 'embeddings_by_type',
      }),
      { [TOKENS]: '7' },
    );
    const { data, usage } = await embed({
      model: COHERE,
      input: ['a', 'b'],
      dimensions: 2,
      input_type: 'query',
    });
    expect(data.map(({ embedding }) => embedding)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(usage?.prompt_tokens).toBe(7);
    expect(bedrock.sent()).toEqual({
      texts: ['a', 'b'],
      input_type: 'search_query',
      embedding_types: ['float'],
      output_dimension: 2,
    });
  });

  test('take pictures', async () => {
    answering(() => ({ embeddings: { float: [[1]] } }));
    const content = [{ type: 'image_url', image_url: { url: PNG } }];
    expect((await embed({ model: COHERE, input: [{ content }] })).usage).toBeUndefined();
    expect(bedrock.sent()).toMatchObject({ inputs: [{ content }], input_type: 'search_document' });
  });

  test('fail for another number of vectors than texts', async () => {
    answering(() => ({ embeddings: { float: [[1]] } }));
    expect(await failureOf(embed({ model: COHERE, input: ['a', 'b'] }))).toMatchObject({
      code: 'invalid_response',
    });
  });
});

describe('a ranking', () => {
  test.each([
    ['amazon.rerank-v1:0', {}],
    ['cohere.rerank-v3-5:0', { api_version: 2 }],
  ])('has the body of Cohere for %s, and counts queries of 100 documents', async (model, version) => {
    answering(() => ({ results: [{ index: 1, relevance_score: 0.9 }] }));
    const rank = (documents: string[]) =>
      bedrock.provider().rerank!.rerank({ model, query: 'sea', documents, topN: 1 }, bedrock.newContext());
    expect(await rank(['lake', 'shore'])).toMatchObject({
      results: [{ index: 1, relevanceScore: 0.9 }],
      usage: { searchUnits: 1 },
    });
    expect(bedrock.sent()).toEqual({ query: 'sea', documents: ['lake', 'shore'], top_n: 1, ...version });
    expect((await rank(Array<string>(101).fill('lake'))).usage.searchUnits).toBe(2);
    expect((await rank(['lake', 'x'.repeat(199_001)])).usage.searchUnits).toBe(2);
  });
});
