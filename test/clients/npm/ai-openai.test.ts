import { createOpenAI } from '@ai-sdk/openai';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  embedMany,
  experimental_generateSpeech as generateSpeech,
  generateImage,
  generateText,
  experimental_transcribe as transcribe,
  type ToolSet,
} from 'ai';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { EARLY_HEADERS } from './early-headers.ts';
import { describePicture, SMALL } from '../../support/images.ts';
import { WAV } from './sound.ts';
import { testLanguageModel } from './ai-suite.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ env: EARLY_HEADERS });
});
afterAll(() => gateway.close());

const openai = (apiKey = gateway.apiKey) => createOpenAI({ baseURL: `${gateway.origin}/api/v1`, apiKey });

testLanguageModel(
  'ai with @ai-sdk/openai',
  () => gateway,
  (model, apiKey) => openai(apiKey)(model),
);
testLanguageModel(
  'ai with chat of @ai-sdk/openai',
  () => gateway,
  (model, apiKey) => openai(apiKey).chat(model),
  { reportsFailures: false },
);

describe('ai with @ai-sdk/openai', () => {
  test('embeds texts', async () => {
    const { embeddings, usage } = await embedMany({
      model: openai().embeddingModel('local/embed-1'),
      values: ['a river', 'a lake'],
    });
    expect(embeddings).toHaveLength(2);
    expect(usage.tokens).toBeGreaterThan(0);
  });

  test('makes two images of the requested size', async () => {
    const { images } = await generateImage({
      model: openai().imageModel('local/image-1'),
      prompt: 'A lighthouse',
      size: SMALL,
      n: 2,
    });
    const small = { format: 'png', width: 128, height: 128 };
    expect(images.map(({ base64 }) => describePicture(base64))).toEqual([small, small]);
  });

  test('turns a text into MP3 speech', async () => {
    const { audio } = await generateSpeech({
      model: openai().speech('local/speech-1'),
      text: 'Hello there',
      voice: 'alto',
    });
    expect(audio.mediaType).toBe('audio/mpeg');
  });

  test('continues a conversation that is not stored', async () => {
    const first = await generateText({ model: openai()('local/echo-1'), prompt: 'Hello there' });
    const { text } = await generateText({
      model: openai()('local/echo-1'),
      messages: [
        { role: 'user', content: 'Hello there' },
        ...first.response.messages,
        { role: 'user', content: 'And again' },
      ],
      providerOptions: { openai: { store: false } },
    });
    expect(text).toBe('You said: And again');
  });

  test('answers without a tool hosted by OpenAI, and names it in sluice-dropped-tools', async () => {
    const { text, response } = await generateText({
      model: openai()('local/echo-1'),
      prompt: 'Hello there',
      // The client's own types do not fit each other under exactOptionalPropertyTypes.
      tools: { web_search: openai().tools.webSearch() } as unknown as ToolSet,
    });
    expect(text).toBe('You said: Hello there');
    expect(response.headers?.['sluice-dropped-tools']).toBe('web_search');
  });

  test('completes a text', async () => {
    const { text } = await generateText({
      model: openai().completion('local/echo-1'),
      prompt: 'Hello there',
    });
    expect(text).toContain('Hello there');
  });

  test('receives 404 for a transcription', async () => {
    const asked = transcribe({ model: openai().transcription('whisper-1'), audio: WAV, maxRetries: 0 });
    await expect(asked).rejects.toMatchObject({ statusCode: 404 });
  });
});
