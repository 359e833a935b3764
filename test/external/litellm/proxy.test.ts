import { describe, expect, test } from '@jest/globals';
import { newContext, setUpAdapters } from '../../providers/connected-adapters.ts';
import { chunksOf, failureOf, wordsOf } from '../../providers/text-adapter-under-test.ts';

const { LITELLM_TEST_ORIGIN: origin = '', LITELLM_TEST_KEY: key = '' } = process.env;
const CHAT = { model: 'our-gpt', messages: [{ role: 'user', content: 'What stands on the cliff?' }] };
const ANSWER = 'A lighthouse stands on the cliff.';

describe.each([
  ['openai-compatible', '/v1', undefined],
  ['azure', '', '2024-10-21'],
])("LiteLLM's proxy, through the adapter %s", (adapter, path, apiVersion) => {
  const connect = setUpAdapters(adapter);
  const at = (apiKey = key) => connect({ baseUrl: origin + path, apiKey, apiVersion });

  test('answers a chat and counts its tokens', async () => {
    const answer = await at().chat.complete(CHAT, newContext());
    expect(answer.choices).toMatchObject([{ finish_reason: 'stop', message: { content: ANSWER } }]);
    expect(answer.usage?.prompt_tokens).toBeGreaterThan(0);
    expect(answer.usage?.completion_tokens).toBeGreaterThan(0);
  });

  test('streams the same answer and counts its tokens once', async () => {
    const chunks = await chunksOf(await at().chat.stream(CHAT, newContext()));
    expect(wordsOf(chunks)).toBe(ANSWER);
    const counts = chunks.flatMap(({ usage }) => usage ?? []);
    expect(counts).toHaveLength(1);
    expect(counts[0]?.prompt_tokens).toBeGreaterThan(0);
    expect(counts[0]?.completion_tokens).toBeGreaterThan(0);
  });

  test('refuses a wrong key with a 400, because it has no database of keys', async () => {
    const error = await failureOf(at('sk-wrong-0123456789abcdef').chat.complete(CHAT, newContext()));
    expect(error).toMatchObject({ code: 'invalid_request', status: 400, retryable: false });
  });
});
