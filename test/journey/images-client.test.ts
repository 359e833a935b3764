import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import OpenAI from 'openai';
import type { OpenRouter } from '@openrouter/sdk';
import { BadRequestResponseError, NotFoundResponseError } from '@openrouter/sdk/models/errors';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { describePicture, SMALL } from '../support/images.ts';
import { publishedClient } from '../support/published-client.ts';
import { openaiClient } from '../support/sdk-clients.ts';

let gateway: Gateway;
let openai: OpenAI;
let openrouter: OpenRouter;

beforeAll(async () => {
  gateway = await startGateway();
  openai = openaiClient(gateway);
  openrouter = publishedClient(gateway, gateway.apiKey);
});

afterAll(() => gateway.close());

const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const small = { format: 'png', width: 128, height: 128 };

describe("OpenAI's client for images", () => {
  const request = { model: 'local/image-1', prompt: 'A lighthouse', size: SMALL };

  test('generates two images with their token counts', async () => {
    const { data, created, usage } = await openai.images.generate({ ...request, n: 2, user: 'someone' });
    expect(created).toBeGreaterThan(0);
    expect(usage).toMatchObject({
      input_tokens: 3,
      input_tokens_details: { text_tokens: 3, image_tokens: 0 },
      output_tokens: 32,
      output_tokens_details: { text_tokens: 0, image_tokens: 32 },
      total_tokens: 35,
    });
    expect(data?.map(({ b64_json: b64 }) => describePicture(b64 ?? ''))).toEqual([small, small]);
  });

  test('streams two drafts and the finished image', async () => {
    const stream = await openai.images.generate({ ...request, stream: true });
    const types: string[] = [];
    let picture = '';
    let counted: object | undefined;
    for await (const event of stream) {
      types.push(event.type);
      picture = event.b64_json;
      if (event.type === 'image_generation.completed') counted = event.usage.input_tokens_details;
    }
    expect(types).toEqual([
      'image_generation.partial_image',
      'image_generation.partial_image',
      'image_generation.completed',
    ]);
    expect(describePicture(picture)).toEqual(small);
    expect(counted).toEqual({ text_tokens: 3, image_tokens: 0 });
  });

  test('throws its own error classes for 400 and 404', async () => {
    await expect(openai.images.generate({ ...request, size: '1x1' })).rejects.toBeInstanceOf(
      OpenAI.BadRequestError,
    );
    await expect(openai.images.generate({ ...request, model: 'no/such' })).rejects.toBeInstanceOf(
      OpenAI.NotFoundError,
    );
  });
});

describe('the published client for images', () => {
  const request = { model: 'local/image-1', prompt: 'A lighthouse', size: SMALL };

  test('generates an image from a reference', async () => {
    const answer = await openrouter.images.generate({
      imageGenerationRequest: {
        ...request,
        inputReferences: [{ type: 'image_url', imageUrl: { url: PNG } }],
        sessionId: 'a session',
      },
    });
    if (!('data' in answer)) throw new Error('a stream');
    expect(answer.data[0]?.mediaType).toBe('image/png');
    expect(answer.usage?.cost).toBeGreaterThan(0);
  });

  test('streams an image up to its usage', async () => {
    const stream = await openrouter.images.generate({ imageGenerationRequest: { ...request, stream: true } });
    if (!(Symbol.asyncIterator in stream)) throw new Error('no stream');
    const types: string[] = [];
    let cost: number | null | undefined;
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === 'image_generation.completed') cost = event.usage?.cost;
    }
    expect(types.at(-1)).toBe('image_generation.completed');
    expect(types).toHaveLength(3);
    expect(cost).toBeGreaterThan(0);
  });

  test('receives an error event from a stream that breaks off', async () => {
    gateway.upstream.addFaults({ kind: 'cut-stream', on: 'images', events: 1 });
    const stream = await openrouter.images.generate({ imageGenerationRequest: { ...request, stream: true } });
    if (!(Symbol.asyncIterator in stream)) throw new Error('no stream');
    const events: unknown[] = [];
    for await (const event of stream) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'provider_connection_lost' } });
  });

  test('lists models with the parameters and prices of their endpoints', async () => {
    const { data } = await openrouter.images.listModels();
    expect(data.map(({ id }) => id)).toEqual([
      'local/image-1',
      'local/image-canned',
      'local/image-qualities',
      'local/image-tokens',
      'local/image-units',
      'local/image-vector-1',
    ]);
    const [model] = data;
    expect(model).toMatchObject({
      supportsStreaming: true,
      architecture: { outputModalities: ['image'] },
      endpoints: 'https://gateway.example/api/v1/images/models/local/image-1/endpoints',
      supportedParameters: { n: { type: 'range', min: 1, max: 4 }, seed: { type: 'boolean' } },
    });
    const { id, endpoints } = await openrouter.images.listModelEndpoints({
      author: 'local',
      slug: 'image-1',
    });
    expect(id).toBe('local/image-1');
    expect(endpoints).toMatchObject([
      {
        providerName: 'Local upstream',
        providerTag: null,
        allowedPassthroughParameters: ['faults', 'partial_images'],
        pricing: [
          { billable: 'output_image', costUsd: 0.001, unit: 'image' },
          { billable: 'input_text', costUsd: 0.000001, unit: 'token' },
          { billable: 'input_image', costUsd: 0.000001, unit: 'token' },
          { billable: 'input_reference', costUsd: 0.0002, unit: 'image' },
        ],
      },
    ]);
  });

  test('throws its own error classes for 400 and 404', async () => {
    const unknown = openrouter.images.listModelEndpoints({ author: 'no', slug: 'such' });
    await expect(unknown).rejects.toBeInstanceOf(NotFoundResponseError);
    const wrong = { ...request, background: 'transparent', outputFormat: 'jpeg' } as const;
    const refused = openrouter.images.generate({ imageGenerationRequest: wrong });
    await expect(refused).rejects.toBeInstanceOf(BadRequestResponseError);
  });
});
