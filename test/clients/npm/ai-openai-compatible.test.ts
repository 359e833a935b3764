import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { embedMany, generateImage, streamText } from 'ai';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { EARLY_HEADERS } from './early-headers.ts';
import { describePicture, SMALL } from '../../support/images.ts';
import { testLanguageModel } from './ai-suite.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ env: EARLY_HEADERS });
});
afterAll(() => gateway.close());

const sluice = (apiKey = gateway.apiKey) =>
  createOpenAICompatible({
    name: 'sluice',
    baseURL: `${gateway.origin}/api/v1`,
    apiKey,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });

testLanguageModel(
  'ai with @ai-sdk/openai-compatible',
  () => gateway,
  (model, apiKey) => sluice(apiKey)(model),
);

describe('ai with @ai-sdk/openai-compatible', () => {
  test('embeds texts', async () => {
    const { embeddings, usage } = await embedMany({
      model: sluice().embeddingModel('local/embed-1'),
      values: ['a river', 'a lake'],
    });
    expect(embeddings).toHaveLength(2);
    expect(usage.tokens).toBeGreaterThan(0);
  });

  test('generates an image of the requested size', async () => {
    const { image } = await generateImage({
      model: sluice().imageModel('local/image-1'),
      prompt: 'A lighthouse',
      size: SMALL,
    });
    expect(describePicture(image.base64)).toEqual({ format: 'png', width: 128, height: 128 });
  });

  test('streams a text completion in several pieces', async () => {
    const result = streamText({
      model: sluice().completionModel('local/echo-1'),
      prompt: 'Hello there',
    });
    const pieces: string[] = [];
    for await (const piece of result.textStream) pieces.push(piece);
    expect(pieces.join('')).toContain('Hello there');
    expect(pieces.length).toBeGreaterThan(1);
    expect((await result.usage).outputTokens).toBeGreaterThan(0);
  });
});
