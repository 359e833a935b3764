import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { generateText, type LanguageModel, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import type { VendorServer } from '../../support/vendor-server.ts';
import { addRichModel, RICH_ENV, RICH_MODEL } from './rich-vendor.ts';

let gateway: Gateway;
let vendor: VendorServer;
beforeAll(async () => {
  globalThis.AI_SDK_LOG_WARNINGS = false;
  gateway = await startGateway({ env: RICH_ENV });
  vendor = await addRichModel(gateway);
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

const settings = () => ({ baseURL: `${gateway.origin}/api/v1`, apiKey: gateway.apiKey });
const MAKERS: Record<string, () => LanguageModel> = {
  '@openrouter/ai-sdk-provider': () => createOpenRouter(settings())(RICH_MODEL),
  '@ai-sdk/openai': () => createOpenAI(settings())(RICH_MODEL),
  'chat of @ai-sdk/openai': () => createOpenAI(settings()).chat(RICH_MODEL),
  '@ai-sdk/anthropic': () => createAnthropic(settings())(RICH_MODEL),
  '@ai-sdk/openai-compatible': () =>
    createOpenAICompatible({ ...settings(), name: 'sluice', includeUsage: true })(RICH_MODEL),
};

const asked: string[] = [];
const tools = {
  weather: tool({
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => {
      asked.push(city);
      return `rain in ${city}`;
    },
  }),
};
const prompt = 'What is the weather?';

/**
 * OpenAI's client shows summaries of thoughts over the Responses API, of which this model makes none, and nothing over
 * chat.
 */
const THOUGHTS: Record<string, string | undefined> = {
  '@ai-sdk/openai': '',
  'chat of @ai-sdk/openai': undefined,
};
const HAS_NO_SOURCES = new Set(['@ai-sdk/anthropic', '@ai-sdk/openai-compatible']);
const SHOWS_PICTURES = new Set(['@openrouter/ai-sdk-provider']);
const providerOptions = { openai: { store: false } };

describe.each(Object.entries(MAKERS))('ai with %s', (name, make) => {
  const thoughts = name in THOUGHTS ? THOUGHTS[name] : 'It is Bergen.';
  const usage = { inputTokens: 20, outputTokens: 10, cachedInputTokens: 16 };

  test('reads thoughts, citations and details of usage', async () => {
    const result = await generateText({ model: make(), prompt });
    expect(result.text).toBe('Rain.');
    expect(result.reasoningText).toBe(thoughts);
    expect(result.usage).toMatchObject(usage);
    expect(result.sources.map((source) => 'url' in source && source.url)).toEqual(
      HAS_NO_SOURCES.has(name) ? [] : ['https://example.com/rain'],
    );
  });

  test('reads images from whole and streamed answers where it supports them', async () => {
    const whole = await generateText({ model: make(), prompt });
    const streamed = streamText({ model: make(), prompt, onError: () => {} });
    await streamed.consumeStream();
    const types = [whole.files, await streamed.files].map((files) => files.map(({ mediaType }) => mediaType));
    const expected = SHOWS_PICTURES.has(name) ? ['image/png'] : [];
    expect(types).toEqual([expected, expected]);
  });

  test('reads text, thoughts and usage from a stream', async () => {
    const result = streamText({ model: make(), prompt, onError: () => {} });
    await result.consumeStream();
    expect(await result.text).toBe('Rain.');
    expect(await result.reasoningText).toBe(thoughts);
    expect(await result.usage).toMatchObject(usage);
  });

  test('runs two tools at once and answers with both results', async () => {
    asked.length = 0;
    const result = await generateText({
      model: make(),
      prompt,
      tools,
      providerOptions,
      stopWhen: stepCountIs(3),
    });
    expect(result.text).toBe('Rain.');
    expect(asked.toSorted()).toEqual(['Bergen', 'Oslo']);
  });

  test('runs two tools at once in a stream', async () => {
    asked.length = 0;
    const result = streamText({ model: make(), prompt, tools, providerOptions, stopWhen: stepCountIs(3) });
    await result.consumeStream();
    expect(await result.text).toBe('Rain.');
    expect(asked.toSorted()).toEqual(['Bergen', 'Oslo']);
  });

  test('sends its first answer back in the next turn', async () => {
    const first = await generateText({ model: make(), prompt });
    const { text } = await generateText({
      model: make(),
      messages: [
        { role: 'user', content: prompt },
        ...first.response.messages,
        { role: 'user', content: 'Why?' },
      ],
      providerOptions,
    });
    expect(text).toBe('Rain.');
  });
});
