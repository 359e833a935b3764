import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createOutboundGuard, type OutboundGuard } from '../../platform/outbound-guard.ts';
import type { EmbeddingList } from '../../providers/embeddings-adapter.ts';
import { type LoopbackServer, startLoopbackServer } from '../platform/loopback-server.ts';
import { PNG, PNG_BYTES } from '../support/tiny-png.ts';
import { newContext, setUpAdapters } from './connected-adapters.ts';
import { describeRerankAdapter } from './rerank-promises.ts';
import { failureOf } from './text-adapter-under-test.ts';

describeRerankAdapter('cohere', { pictures: false });

describe('embeddings of Cohere', () => {
  const connect = setUpAdapters('cohere');
  let vendor: LoopbackServer;
  let outbound: OutboundGuard;
  /** What the vendor was asked, and what it answers next. */
  let asked: { path: string; key: string; body: Record<string, unknown> }[];
  let answer: { status: number; body: object };

  beforeAll(async () => {
    outbound = createOutboundGuard({ allow: ['127.0.0.0/8'] });
    vendor = await startLoopbackServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (request.method === 'GET') {
          response.setHeader('content-type', 'image/png').end(PNG_BYTES);
          return;
        }
        const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
        asked.push({ path: request.url!, key: request.headers.authorization!, body });
        response.writeHead(answer.status).end(JSON.stringify(answer.body));
      });
    });
  });
  beforeEach(() => {
    asked = [];
    answer = { status: 200, body: floats([0.1, 0.2]) };
  });
  afterAll(async () => {
    await vendor.close();
    await outbound.close();
  });

  /** An answer as the vendor's reference has it. */
  function floats(...vectors: number[][]): object {
    return {
      id: 'b1d6a4c5',
      embeddings: { float: vectors },
      texts: vectors.map(() => 'echoed'),
      response_type: 'embeddings_by_type',
      meta: { api_version: { version: '2' }, billed_units: { input_tokens: 5 } },
    };
  }

  function embed(input: unknown, more: object = {}): Promise<EmbeddingList> {
    const { embeddings } = connect({ baseUrl: `${vendor.origin}/v2`, apiKey: 'co-key', outbound });
    return embeddings.embed({ model: 'embed-v4.0', input, ...more }, newContext());
  }

  test('translate between the fields of OpenAI and Cohere', async () => {
    answer.body = floats([0.1, 0.2], [0.3, 0.4]);
    expect(await embed(['a', 'b'])).toEqual({
      object: 'list',
      model: 'embed-v4.0',
      data: [
        { object: 'embedding', index: 0, embedding: [0.1, 0.2] },
        { object: 'embedding', index: 1, embedding: [0.3, 0.4] },
      ],
      usage: { prompt_tokens: 5, completion_tokens: 0, total_tokens: 5 },
    });
    expect(asked).toEqual([
      {
        path: '/v2/embed',
        key: 'Bearer co-key',
        body: {
          model: 'embed-v4.0',
          texts: ['a', 'b'],
          input_type: 'search_document',
          embedding_types: ['float'],
        },
      },
    ]);
  });

  test.each([
    ['query', 'search_query'],
    ['document', 'search_document'],
    ['passage', 'search_document'],
    ['classification', 'classification'],
    [null, 'search_document'],
  ])('translate the input type %s to %s', async (given, sent) => {
    await embed('a', { input_type: given });
    expect(asked[0]?.body).toMatchObject({ input_type: sent, texts: ['a'] });
  });

  test("send dimensions and options, which cannot replace the request's own fields", async () => {
    await embed('a', { dimensions: 2, truncate: 'NONE', embedding_types: ['int8'], texts: ['z'] });
    expect(asked[0]?.body).toEqual({
      model: 'embed-v4.0',
      texts: ['a'],
      input_type: 'search_document',
      embedding_types: ['float'],
      output_dimension: 2,
      truncate: 'NONE',
    });
  });

  test('come as base64 when the caller requests base64', async () => {
    answer.body = { embeddings: { base64: ['zczMPc3MTD4='] }, meta: {} };
    const { data, usage } = await embed('a', { encoding_format: 'base64' });
    expect(data).toMatchObject([{ embedding: 'zczMPc3MTD4=' }]);
    expect(usage).toBeUndefined();
    expect(asked[0]?.body).toMatchObject({ embedding_types: ['base64'] });
  });

  test("send text and pictures as parts, and a picture's URL as a data URL", async () => {
    answer.body = {
      embeddings: { float: [[0.1], [0.2]] },
      meta: { billed_units: { input_tokens: 3, image_tokens: 258 } },
    };
    const { usage } = await embed([
      { content: [{ type: 'text', text: 'A boat' }] },
      { content: [{ type: 'image_url', image_url: { url: `${vendor.origin}/boat` } }] },
    ]);
    expect(asked[0]?.body).toMatchObject({
      inputs: [
        { content: [{ type: 'text', text: 'A boat' }] },
        { content: [{ type: 'image_url', image_url: { url: PNG } }] },
      ],
    });
    expect(usage).toMatchObject({ prompt_tokens: 261, prompt_tokens_details: { image_tokens: 258 } });
  });

  test.each([
    ['tokens', [1, 2], 'not tokens'],
    ['lists of tokens', [[1], [2]], 'not tokens'],
    ['more than 96 texts', Array.from({ length: 97 }, () => 'x'), 'at most 96'],
    [
      'sound',
      [{ content: [{ type: 'input_audio', input_audio: {} }] }],
      'body.input.0.content.0 must be text or a picture, not input_audio',
    ],
  ])('fail without a request for %s', async (_, input, rule) => {
    const error = await failureOf(embed(input));
    expect(error).toMatchObject({ code: 'invalid_request', retryable: false });
    expect(error.publicMessage).toContain(rule);
    expect(asked).toEqual([]);
  });

  test.each([
    ['a vector too few', { embeddings: { float: [] } }],
    ['vectors in another format', { embeddings: { int8: [[1]] } }],
    ['a vector that is none', { embeddings: { float: ['x'] } }],
    ['nothing', {}],
  ])('fail as invalid_response for %s', async (_, body) => {
    answer.body = body;
    expect(await failureOf(embed('a'))).toMatchObject({ code: 'invalid_response', retryable: true });
  });

  test("quote the vendor's message of a 400 and hide that of a 429", async () => {
    answer = {
      status: 400,
      body: { id: 'x', message: 'invalid request: valid input_type must be provided' },
    };
    expect(await failureOf(embed('a'))).toMatchObject({
      code: 'invalid_request',
      publicMessage: 'invalid request: valid input_type must be provided',
    });
    answer = { status: 429, body: { message: 'You are using a Trial key' } };
    const error = await failureOf(embed('a'));
    expect(error).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(error.publicMessage).not.toContain('Trial');
  });
});
