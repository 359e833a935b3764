import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ImageModelRecord } from '../../contract/catalog/image-models.ts';
import type { ImageCapabilities } from '../../domain/catalog/catalog.ts';
import { bundledCatalogs } from '../../providers/catalog-file.ts';
import { errorOf } from '../support/caller.ts';
import { addImageModel } from '../support/catalog.ts';
import { generationIdOf, ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { askImages, describePicture, madeImages } from '../support/images.ts';

let gateway: Gateway;

/** What `local/image-1` can do, with another way to say how large a picture is. */
function withPixels(pixels: Pick<ImageCapabilities, 'sizes' | 'resolutions' | 'aspectRatios'>) {
  const endpoints = bundledCatalogs().flatMap(({ liveEndpoints }) => liveEndpoints);
  const { sizeLimits: _, ...image } = endpoints.find(({ modelId }) => modelId === 'local/image-1')!.image!;
  return { ...image, ...pixels };
}
const NAMES = withPixels({ sizes: null, resolutions: ['512', '1K'], aspectRatios: ['1:1', '16:9', '9:16'] });
const LISTED = withPixels({ sizes: ['200x120', '1024x1024'], resolutions: null, aspectRatios: null });
const ANY = withPixels({ sizes: 'any', resolutions: null, aspectRatios: null });

beforeAll(async () => {
  const env = { PROVIDER_SECOND_API_KEY: 'upstream-key', PROVIDER_THIRD_API_KEY: 'upstream-key' };
  gateway = await startGateway({ env });
  await addImageModel(gateway, 'test/ways', [
    { provider: 'local', image: NAMES },
    { provider: 'second', adapter: 'openai', image: LISTED },
  ]);
  await addImageModel(gateway, 'test/any', [{ provider: 'third', adapter: 'openai-compatible', image: ANY }]);
});

afterAll(() => gateway.close());

const sent = () => gateway.upstream.requests('images').at(-1)!.fields!;

async function providerOf(response: Response): Promise<string | null> {
  await madeImages(response);
  return (await ledgerRow(gateway, generationIdOf(response))).provider;
}

async function modelOf(id: string): Promise<ImageModelRecord> {
  const response = await gateway.call('GET', '/images/models');
  const { data } = (await response.json()) as { data: ImageModelRecord[] };
  return data.find((model) => model.id === id)!;
}

/** The sizes that a model's page lists. */
async function sizesOf(id: string): Promise<string[]> {
  const { supported_parameters: parameters } = await modelOf(id);
  const { size } = parameters;
  return size?.type === 'enum' ? size.values : [];
}

describe('a size in pixels', () => {
  test.each<[string, object, string, object]>([
    ['1024x1024', {}, 'local', { resolution: '1k', aspect_ratio: '1:1' }],
    ['1360x768', {}, 'local', { resolution: '1k', aspect_ratio: '16:9' }],
    ['1360x768', { resolution: '1K', aspect_ratio: '16:9' }, 'local', { resolution: '1k' }],
    ['200x120', {}, 'second', { size: '200x120' }],
    ['200x120', { aspect_ratio: 'auto' }, 'second', { size: '200x120' }],
    ['333x111', { models: ['test/any'] }, 'third', { size: '333x111' }],
  ])(
    '%s with %j goes to the endpoint %s, which makes exactly this size',
    async (size, more, provider, fields) => {
      const response = await askImages(gateway, { model: 'test/ways', size, ...more });
      expect(await providerOf(response)).toBe(provider);
      expect(sent()).toMatchObject(fields);
      expect('size' in sent()).toBe('size' in fields);
    },
  );

  test.each<[string, object, string, string]>([
    ['201x120', {}, 'body.size', 'must be one of'],
    ['1365x768', {}, 'body.size', 'must be one of'],
    ['16x16', {}, 'body.size', 'must be one of'],
    ['1360x768', { aspect_ratio: '4:3' }, 'body.aspect_ratio', 'must match the size 1360x768: 4:3 makes'],
    ['200x120', { resolution: '512' }, 'body.resolution', 'must match the size 200x120: 512 makes'],
  ])('%s with %j answers 400 with the rule of the nearest endpoint', async (size, more, path, rule) => {
    const calls = gateway.upstream.requests('images').length;
    const refused = await errorOf(await askImages(gateway, { model: 'test/ways', size, ...more }));
    expect(refused.code).toBe(400);
    expect(refused.metadata.issues).toEqual([{ path, message: expect.stringContaining(rule) }]);
    expect(gateway.upstream.requests('images')).toHaveLength(calls);
  });
});

describe('GET /images/models', () => {
  test.each(['test/ways', 'local/image-vector-1'])(
    'lists only sizes of %s that are made exactly',
    async (model) => {
      const sizes = await sizesOf(model);
      expect(sizes.length).toBeGreaterThan(0);
      for (const size of sizes) {
        const { data } = await madeImages(await askImages(gateway, { model, size }));
        const { resolution, aspect_ratio: ratio } = sent() as Record<string, string | undefined>;
        if (resolution === undefined) {
          const { width, height } = describePicture(data[0]!.b64_json);
          expect(sent()).toMatchObject({ size });
          expect(`${width}x${height}`).toBe(size);
        } else {
          const names = { resolution: resolution.toUpperCase(), aspect_ratio: ratio };
          await madeImages(await askImages(gateway, { model, size, ...names }));
          expect(sent()).toMatchObject({ resolution, aspect_ratio: ratio });
        }
      }
    },
  );

  test('states the size rule of limits, of lists and of names', async () => {
    expect(await modelOf('local/image-1')).toMatchObject({
      size_rule: expect.stringContaining('multiples of 8 and at most 3072'),
    });
    expect(await modelOf('test/any')).toMatchObject({
      size_rule: expect.stringMatching(/^any WIDTHxHEIGHT; .* rounded to multiples of 16$/),
    });
    const { size_rule: rule } = await modelOf('test/ways');
    expect(rule).toContain('each side rounded to a multiple of 16; or one of 200x120, 1024x1024');
    const response = await gateway.call('GET', '/images/models/test/ways/endpoints');
    const { endpoints } = (await response.json()) as { endpoints: { size_rule: string }[] };
    expect(endpoints.map(({ size_rule: own }) => own)).toEqual(rule!.split('; or '));
  });
});

test.each(['1024x1024', '1536x1024', '1024x1536', 'auto'])(
  "local/image-1 makes the size %s of OpenAI's clients exactly",
  async (size) => {
    const { data } = await madeImages(
      await gateway.call('POST', '/images/generations', {
        body: { model: 'local/image-1', prompt: 'A lighthouse', size },
      }),
    );
    const { width, height } = describePicture(data[0]!.b64_json);
    expect(`${width}x${height}`).toBe(size === 'auto' ? '1024x1024' : size);
  },
);
