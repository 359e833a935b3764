import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CohereRankingBody } from '../../contract/live/cohere-rerank.ts';
import { addKey } from '../support/accounts.ts';
import { createCaller } from '../support/caller.ts';
import { addRerankModel } from '../support/catalog.ts';
import { ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

const DOCUMENTS = ['a lake in winter', 'the lighthouse', 'an old lighthouse by the sea'];

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway.close());

function rerank(body: object, key = gateway.apiKey): Promise<Response> {
  const request = { model: 'local/rerank-1', query: 'the old lighthouse', documents: DOCUMENTS, ...body };
  return createCaller(gateway.origin, key).call('POST', '/api/v2/rerank', { body: request });
}

async function ranked(body: object): Promise<CohereRankingBody> {
  const response = await rerank(body);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  return JSON.parse(text) as CohereRankingBody;
}

async function refusal(response: Response): Promise<[number, unknown]> {
  return [response.status, await response.json()];
}

describe("a ranking in Cohere's dialect", () => {
  test('lists indexes, scores and billed units, without the documents', async () => {
    expect(await ranked({ top_n: 2 })).toEqual({
      id: expect.stringMatching(/^gen-/),
      results: [
        { index: 2, relevance_score: expect.any(Number) },
        { index: 1, relevance_score: expect.any(Number) },
      ],
      meta: {
        api_version: { version: '2' },
        billed_units: { search_units: 1, input_tokens: expect.any(Number) },
      },
    });
  });

  test('passes max_tokens_per_doc to the provider', async () => {
    await ranked({ max_tokens_per_doc: 128 });
    expect(gateway.upstream.requests('rerank').at(-1)!.fields).toMatchObject({ max_tokens_per_doc: 128 });
  });

  test('gets a ledger row, and falls back to the next model', async () => {
    await addRerankModel(gateway, 'test/backup', [{ provider: 'local' }]);
    gateway.upstream.addFaults({ kind: 'status', on: 'rerank', status: 500 });
    const { id } = await ranked({ models: ['test/backup'], user: 'u-1' });
    expect(await ledgerRow(gateway, id)).toMatchObject({
      api_type: 'rerank',
      model: 'test/backup',
      status: 'completed',
    });
  });
});

describe("a refusal in Cohere's dialect", () => {
  test('names the wrong field in its message', async () => {
    expect(await refusal(await rerank({ max_tokens_per_doc: 0 }))).toEqual([
      400,
      {
        message: expect.stringMatching(/^Invalid request parameters: body\.max_tokens_per_doc /),
        metadata: {
          reason: 'invalid_request',
          retryable: false,
          issues: [{ path: 'body.max_tokens_per_doc', message: expect.any(String) }],
        },
      },
    ]);
  });

  test('has the usual status and reason for a bad key, model, limit and provider', async () => {
    const poor = (await addKey(gateway, { limitNanos: 0n })).token;
    const [unknown, refused, spent, away] = [
      await rerank({}, 'sk-unknown'),
      await rerank({ model: 'no/such' }),
      await rerank({}, poor),
      (gateway.upstream.addFaults({ kind: 'status', on: 'rerank', status: 500 }), await rerank({})),
    ];
    expect([await refusal(unknown), await refusal(refused), await refusal(spent)]).toMatchObject([
      [401, { message: expect.any(String), metadata: { reason: 'invalid_credential' } }],
      [404, { message: expect.any(String) }],
      [402, { message: expect.any(String), metadata: { reason: 'key_limit_exceeded' } }],
    ]);
    expect(await refusal(away)).toMatchObject([502, { message: 'Provider returned error' }]);
  });
});
