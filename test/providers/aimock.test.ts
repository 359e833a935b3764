import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Aimock, AIMOCK_ANSWER, AIMOCK_KEY, AIMOCK_QUESTION, startAimock } from '../support/aimock.ts';
import { newContext, setUpAdapters } from './azure/resource.ts';
import { chunksOf, failureOf, wordsOf } from './text-adapter-under-test.ts';

const CHAT = { model: 'our-gpt', messages: [{ role: 'user', content: AIMOCK_QUESTION }] };

let server: Aimock;
beforeAll(async () => {
  server = await startAimock();
});
afterAll(() => server.close());

describe.each([
  ['openai-compatible', '/v1', undefined],
  ['azure', '', undefined],
  ['azure', '/openai/v1/', undefined],
  ['azure', '', '2024-10-21'],
])('the adapter %s in front of aimock at "%s" with version %s', (adapter, path, apiVersion) => {
  const connect = setUpAdapters(adapter);
  const at = (apiKey = AIMOCK_KEY) => connect({ baseUrl: server.origin + path, apiKey, apiVersion });

  test('answers a chat and counts its tokens', async () => {
    const answer = await at().chat.complete(CHAT, newContext());
    expect(answer).toMatchObject({
      model: 'our-gpt',
      choices: [{ finish_reason: 'stop', message: { content: AIMOCK_ANSWER } }],
    });
    expect(answer.usage?.prompt_tokens).toBeGreaterThan(0);
    expect(answer.usage?.completion_tokens).toBeGreaterThan(0);
  });

  test('streams the same answer and the same count', async () => {
    const whole = await at().chat.complete(CHAT, newContext());
    const chunks = await chunksOf(await at().chat.stream(CHAT, newContext()));
    expect(wordsOf(chunks)).toBe(AIMOCK_ANSWER);
    expect(chunks.filter(({ usage }) => usage).map(({ usage }) => usage)).toEqual([whole.usage]);
  });

  test('returns one vector for each input of an embeddings call', async () => {
    const request = { model: 'our-vectors', input: ['a', 'b'], dimensions: 4 };
    const { data } = await at().embeddings.embed(request, newContext());
    expect(data.map(({ embedding }) => embedding.length)).toEqual([4, 4]);
  });

  test('refuses a wrong key as unauthorized', async () => {
    const wrong = at('sk-wrong-0123456789abcdef').chat;
    const refused = { code: 'unauthorized', status: 401, sent: true, retryable: false };
    expect(await failureOf(wrong.complete(CHAT, newContext()))).toMatchObject(refused);
    expect(await failureOf(wrong.stream(CHAT, newContext()))).toMatchObject(refused);
  });
});
