import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ChatCompletionChunkBody } from '../../contract/live/chat-completion.ts';
import { createCaller, errorOf } from '../support/caller.ts';
import { addChatModel } from '../support/catalog.ts';
import { askChat, completed, generationIdOf, ledgerRow, readEvents, textOf } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { addTextModels, type CountedTokens, keepsTextPromises } from './text-dialect-suite.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  await addTextModels(gateway, 'test/failing');
  await addChatModel(gateway, 'test/poor', [{ provider: 'local' }]);
});

afterAll(() => gateway.close());

keepsTextPromises(() => gateway, {
  path: '/chat/completions',
  model: 'test/failing',
  on: 'chat',
  midway: 3,
  saying: (text) => ({ messages: [{ role: 'user', content: text }] }),
  readWhole: async (response) => tokensIn((await completed(response)).usage),
  async readStream(response) {
    const chunks = await readEvents(response);
    return { text: textOf(chunks), tokens: tokensIn(chunks.at(-1)!.usage) };
  },
  async expectRefusal(response, status, reason) {
    expect(await errorOf(response)).toMatchObject({ code: status, metadata: { reason } });
  },
  async readBroken(response, status) {
    const chunks = await readEvents(response);
    const failed = chunks.at(-1)!;
    expect(failed).toMatchObject({ choices: [{ finish_reason: 'error' }], error: { code: status } });
    expect(failed.usage!.cost).toBeGreaterThan(0);
    return { text: textOf(chunks) };
  },
});

function tokensIn(usage: ChatCompletionChunkBody['usage']): CountedTokens {
  return { input: usage!.prompt_tokens, output: usage!.completion_tokens };
}

describe.each([false, true])('a content policy refusal (stream: %s)', (stream) => {
  test('answers 403, is recorded as failed and costs nothing', async () => {
    const code = 'content_policy_violation';
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 400, code });
    const response = await askChat(gateway, { model: 'test/failing', stream });
    expect(await errorOf(response)).toMatchObject({
      code: 403,
      metadata: { reason: 'provider_content_policy' },
    });
    const row = await ledgerRow(gateway, generationIdOf(response));
    expect(row).toMatchObject({ status: 'failed', cost_nanos: '0', streamed: stream });
  });
});

describe("an upstream's refusal for reasons of its own", () => {
  test('answers 429 with a Retry-After even if the upstream sent none', async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 429 });
    const response = await askChat(gateway, { model: 'test/failing' });
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('answers 502 without Retry-After for insufficient_quota', async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 429, code: 'insufficient_quota' });
    const response = await askChat(gateway, { model: 'test/failing' });
    expect(response.headers.get('retry-after')).toBeNull();
    expect(await errorOf(response)).toMatchObject({
      code: 502,
      metadata: { reason: 'provider_unauthorized' },
    });
  });

  test('moves to the next endpoint for insufficient_quota', async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 429, code: 'insufficient_quota' });
    const answer = await completed(await askChat(gateway, { model: 'test/poor', models: ['local/echo-1'] }));
    expect(answer.model).toBe('local/echo-1');
  });
});

describe('an upstream with invalid token counts', () => {
  test('never makes a cost negative', async () => {
    const values = { prompt_tokens: -5, completion_tokens: 1.5 };
    gateway.upstream.addFaults({ kind: 'usage', how: 'set', values });
    const response = await askChat(gateway, {});
    if (response.status !== 200) expect(response.status).toBe(502);
    const row = await ledgerRow(gateway, generationIdOf(response));
    expect(Number(row.cost_nanos)).toBeGreaterThanOrEqual(0);
  });
});

describe('a hostile body', () => {
  const post = (body: string) =>
    createCaller(gateway.origin, gateway.apiKey).call('POST', '/chat/completions', { body });

  test('gets a 400 for more than 100,000 messages', async () => {
    const body = `{"model":"local/echo-1","messages":[${'{},'.repeat(200_000)}{}]}`;
    expect((await errorOf(await post(body))).metadata.issues).toEqual([
      { path: 'body.messages', message: 'must have at most 100000 entries' },
    ]);
  });
});
