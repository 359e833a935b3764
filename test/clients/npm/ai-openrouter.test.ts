import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { embedMany, experimental_generateVideo as generateVideo, generateImage, generateText } from 'ai';
import { ALL_QUEUES, type Gateway, startGateway } from '../../support/gateway.ts';
import { describePicture, SMALL } from '../../support/images.ts';
import { EARLY_HEADERS } from './early-headers.ts';
import { PNG } from './picture.ts';
import { testLanguageModel } from './ai-suite.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ worker: ALL_QUEUES, env: EARLY_HEADERS });
});
afterAll(() => gateway.close());

const openrouter = (apiKey = gateway.apiKey) =>
  createOpenRouter({ baseURL: `${gateway.origin}/api/v1`, apiKey, compatibility: 'strict' });

testLanguageModel(
  'ai with @openrouter/ai-sdk-provider',
  () => gateway,
  (model, apiKey) => openrouter(apiKey)(model),
);

describe('ai with @openrouter/ai-sdk-provider', () => {
  test('embeds texts', async () => {
    const { embeddings } = await embedMany({
      model: openrouter().textEmbeddingModel('local/embed-1'),
      values: ['a river', 'a lake'],
    });
    expect(embeddings).toHaveLength(2);
  });

  test('completes a text', async () => {
    const model = openrouter().completion('local/echo-1');
    expect((await generateText({ model, prompt: 'Hello there' })).text).toContain('Hello there');
  });

  test('makes an image of the requested size', async () => {
    const { image } = await generateImage({
      model: openrouter().imageModel('local/image-1'),
      prompt: 'A lighthouse',
      size: SMALL,
    });
    expect(describePicture(image.base64)).toEqual({ format: 'png', width: 128, height: 128 });
  });

  test('makes an image from another one', async () => {
    const { image } = await generateImage({
      model: openrouter().imageModel('local/image-1'),
      prompt: { text: 'The same in winter', images: [PNG] },
      size: SMALL,
    });
    expect(gateway.upstream.requests('images').at(-1)?.path).toBe('/v1/images/edits');
    expect(describePicture(image.base64)).toEqual({ format: 'png', width: 128, height: 128 });
  });

  test('makes a video and downloads it with the key', async () => {
    const { video } = await generateVideo({
      model: openrouter().videoModel('local/clip-canned', { pollIntervalMs: 500 }),
      prompt: 'A lighthouse',
      download: async ({ url }) => {
        const answer = await gateway.call('GET', `${url.pathname}${url.search}`);
        expect(answer.status).toBe(200);
        return { data: new Uint8Array(await answer.arrayBuffer()), mediaType: 'video/mp4' };
      },
    });
    expect(Buffer.from(video.uint8Array.subarray(4, 8)).toString('latin1')).toBe('ftyp');
  });
});
