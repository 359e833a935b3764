import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OpenRouter } from '@openrouter/sdk';
import {
  BadGatewayResponseError,
  NotFoundResponseError,
  PaymentRequiredResponseError,
} from '@openrouter/sdk/models/errors';
import { addKey } from '../support/accounts.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { publishedClient } from '../support/published-client.ts';

let gateway: Gateway;
let client: OpenRouter;

beforeAll(async () => {
  gateway = await startGateway();
  client = clientOf(gateway.apiKey);
});

afterAll(() => gateway.close());

const clientOf = (apiKey: string) => publishedClient(gateway, apiKey);

const chatRequest = { model: 'local/echo-1', messages: [{ role: 'user' as const, content: 'Hello there' }] };

describe('the unmodified public client', () => {
  test('completes a chat', async () => {
    const answer = await client.chat.send({ chatRequest: { ...chatRequest, stream: false } });
    if (!('choices' in answer)) throw new Error('a stream');
    expect(answer.choices[0]?.message.content).toBe('You said: Hello there');
    expect(answer.usage?.cost).toBeGreaterThan(0);
  });

  test('streams a chat up to its usage', async () => {
    const stream = await client.chat.send({ chatRequest: { ...chatRequest, stream: true } });
    if (!(Symbol.asyncIterator in stream)) throw new Error('no stream');
    let text = '';
    let cost: number | null | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      cost = chunk.usage?.cost ?? cost;
    }
    expect(text).toBe('You said: Hello there');
    expect(cost).toBeGreaterThan(0);
  });

  test('gets embeddings of the requested dimensions', async () => {
    const answer = await client.embeddings.generate({
      requestBody: { model: 'local/embed-1', input: ['a river'], dimensions: 8 },
    });
    if (typeof answer === 'string') throw new Error('not JSON');
    expect(answer.data[0]?.embedding).toHaveLength(8);
  });

  test('throws its own error classes for 404, 502 and 402', async () => {
    const unknown = client.chat.send({ chatRequest: { ...chatRequest, model: 'no/such' } });
    await expect(unknown).rejects.toBeInstanceOf(NotFoundResponseError);
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 500 });
    await expect(client.chat.send({ chatRequest })).rejects.toBeInstanceOf(BadGatewayResponseError);
    const poor = clientOf((await addKey(gateway, { limitNanos: 0n })).token);
    await expect(poor.chat.send({ chatRequest })).rejects.toBeInstanceOf(PaymentRequiredResponseError);
  });
});
