import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  BadGatewayResponseError,
  BadRequestResponseError,
  NotFoundResponseError,
  PaymentRequiredResponseError,
  TooManyRequestsResponseError,
} from '@openrouter/sdk/models/errors';
import { addKey } from '../support/accounts.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { publishedClient } from '../support/published-client.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway.close());

const clientOf = (apiKey: string) => publishedClient(gateway, apiKey);

const requestBody = {
  model: 'local/rerank-1',
  query: 'What is the capital of France?',
  documents: ['Berlin is in Germany.', { text: 'Paris is the capital of France.' }],
};

describe('the published client', () => {
  test('ranks documents', async () => {
    const answer = await clientOf(gateway.apiKey).rerank.rerank({
      requestBody: { ...requestBody, topN: 1, provider: { allowFallbacks: true }, sessionId: 's', user: 'u' },
    });
    if (typeof answer === 'string') throw new Error('not JSON');
    expect(answer).toMatchObject({
      model: 'local/rerank-1',
      provider: 'Local upstream',
      results: [{ index: 1, document: { text: 'Paris is the capital of France.' } }],
      usage: { searchUnits: 1, cost: 0.0001 },
    });
    expect(answer.results[0]!.relevanceScore).toBeGreaterThan(0);
  });

  test('throws its own class for each kind of error', async () => {
    const client = clientOf(gateway.apiKey);
    const ask = (change: object = {}, by = client) =>
      by.rerank.rerank({ requestBody: { ...requestBody, ...change } });
    await expect(ask({ model: 'no/such' })).rejects.toBeInstanceOf(NotFoundResponseError);
    await expect(ask({ documents: [] })).rejects.toBeInstanceOf(BadRequestResponseError);
    gateway.upstream.addFaults({ kind: 'status', on: 'rerank', status: 500 });
    await expect(ask()).rejects.toBeInstanceOf(BadGatewayResponseError);
    gateway.upstream.addFaults({ kind: 'status', on: 'rerank', status: 429 });
    await expect(ask()).rejects.toBeInstanceOf(TooManyRequestsResponseError);
    const poor = clientOf((await addKey(gateway, { limitNanos: 0n })).token);
    await expect(ask({}, poor)).rejects.toBeInstanceOf(PaymentRequiredResponseError);
  });
});
