import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { generateText } from 'ai';
import { type Gateway, startGateway } from '../../support/gateway.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ worker: false });
});
afterAll(() => gateway.close());

describe('ai with @ai-sdk/openai-compatible', () => {
  test('completes a conversation', async () => {
    const sluice = createOpenAICompatible({
      name: 'sluice',
      baseURL: `${gateway.origin}/api/v1`,
      apiKey: gateway.apiKey,
    });
    const { text, usage } = await generateText({ model: sluice('local/echo-1'), prompt: 'Hello there' });
    expect(text).toBe('You said: Hello there');
    expect(usage.outputTokens).toBeGreaterThan(0);
  });
});
