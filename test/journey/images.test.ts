import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { nanosToUsd } from '../../domain/money.ts';
import { bundledCatalogs } from '../../providers/catalog-file.ts';
import { errorOf } from '../support/caller.ts';
import { addImageModel } from '../support/catalog.ts';
import { generationIdOf, ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { askImages, describePicture, lastPicture, madeImages, readImageEvents } from '../support/images.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { PROVIDER_SECOND_API_KEY: 'upstream-key' } });
  await addImageModel(gateway, 'test/two', [
    { provider: 'local' },
    { provider: 'second', adapter: 'openai' },
  ]);
});

afterAll(() => gateway.close());

const sent = () => gateway.upstream.requests('images').at(-1)?.fields ?? {};
const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const picture = (url: string) => ({ type: 'image_url', image_url: { url } });

async function mediaOf(id: string) {
  const { rows } = await gateway.database.query<{ media_prompt: number; media_completion: number }>(
    'select api_type, media_prompt, media_completion from generations where id = $1',
    [id],
  );
  return rows[0];
}

describe('POST /images', () => {
  test('returns the images, and its ledger row has the same facts', async () => {
    const response = await askImages(gateway, { n: 2, user: 'someone', session_id: 'a session' });
    const { data, usage, created } = await madeImages(response);
    expect(data.map(({ b64_json }) => describePicture(b64_json))).toEqual(
      Array.from({ length: 2 }, () => ({ format: 'png', width: 128, height: 128 })),
    );
    expect(data[0]).toMatchObject({ media_type: 'image/png' });
    expect(created).toBeGreaterThan(1_700_000_000);
    // Two tokens of text, and two pictures at $0.001.
    expect(usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 32, cost: 0.002003 });
    const id = generationIdOf(response);
    const row = await ledgerRow(gateway, id);
    expect(row).toMatchObject({
      status: 'completed',
      provider: 'local',
      model: 'local/image-1',
      streamed: false,
      finish_reason: 'stop',
      session_id: 'a session',
      external_user: 'someone',
      tokens_prompt: usage!.prompt_tokens,
      tokens_completion: usage!.completion_tokens,
    });
    expect(nanosToUsd(BigInt(row.cost_nanos))).toBe(usage!.cost);
    expect(await mediaOf(id)).toEqual({ api_type: 'image', media_prompt: 0, media_completion: 2 });
  });

  test('returns the same at /images/generations', async () => {
    const body = { model: 'local/image-1', prompt: 'A lighthouse', size: '128x128' };
    const other = await gateway.call('POST', '/images/generations', { body });
    const [{ data }, { data: same }] = [
      await madeImages(await askImages(gateway, {})),
      await madeImages(other),
    ];
    expect(same).toEqual(data);
  });

  test.each([
    ['png', 'image/png'],
    ['jpeg', 'image/jpeg'],
    ['webp', 'image/webp'],
  ])('returns the format %s', async (format, mediaType) => {
    const { data } = await madeImages(await askImages(gateway, { output_format: format }));
    expect(data[0]!.media_type).toBe(mediaType);
    expect(describePicture(data[0]!.b64_json).format).toBe(format);
  });

  test('returns SVG from a vectorizing model and bills it by its pixels', async () => {
    const body = { model: 'local/image-vector-1', size: undefined, aspect_ratio: '3:2' };
    const { data, usage } = await madeImages(await askImages(gateway, body));
    expect(data[0]!.media_type).toBe('image/svg+xml');
    expect(describePicture(data[0]!.b64_json)).toEqual({ format: 'svg', width: 1536, height: 1024 });
    expect(usage!.cost).toBe(0.003145728);
  });

  test('returns the same image for the same seed, and another for another seed', async () => {
    const draw = async (seed: number) =>
      (await madeImages(await askImages(gateway, { seed }))).data[0]!.b64_json;
    expect(await draw(7)).toBe(await draw(7));
    expect(await draw(7)).not.toBe(await draw(8));
  });
});

describe('the image request to the upstream', () => {
  test("omits the gateway's own fields", async () => {
    const own = {
      provider: { allow_fallbacks: true },
      session_id: 's',
      trace: { trace_id: 't' },
      user: 'u',
      response_format: 'b64_json',
    };
    await madeImages(await askImages(gateway, own));
    expect(Object.keys(sent()).toSorted()).toEqual(['model', 'n', 'output_format', 'prompt', 'size']);
  });

  test("contains the requested options, with quality limited to the endpoint's", async () => {
    const body = {
      n: 2,
      output_format: 'webp',
      output_compression: 40,
      background: 'transparent',
      quality: 'max',
      seed: 3,
    };
    await madeImages(await askImages(gateway, body));
    // The endpoint has no more than high quality.
    expect(sent()).toMatchObject({ ...body, quality: 'high', size: '128x128', model: 'image-1' });
  });

  test.each([
    ['a tier with a ratio', { size: '1K', aspect_ratio: '16:9' }, '1368x768'],
    ['a resolution', { size: undefined, resolution: '512' }, '512x512'],
    ['a ratio alone', { size: undefined, aspect_ratio: '1:2' }, '728x1448'],
    ['a tier beyond the endpoint’s', { size: '4K' }, '2048x2048'],
    ['a ratio beyond the endpoint’s', { size: undefined, resolution: '512', aspect_ratio: '8:1' }, '784x336'],
    ['pixels', { size: '136x144' }, '136x144'],
    ['the names of pixels', { size: '1368x768', aspect_ratio: '16:9', resolution: '1K' }, '1368x768'],
    ['nothing', { size: 'auto' }, undefined],
  ])('has the pixels that result from %s', async (_what, body, size) => {
    await madeImages(await askImages(gateway, { ...body, model: 'local/image-1' }));
    expect(sent()['size']).toBe(size);
  });

  test('has at most as many images as the endpoint makes', async () => {
    const { data } = await madeImages(await askImages(gateway, { n: 10 }));
    expect(data).toHaveLength(4);
    expect(sent()['n']).toBe(4);
  });

  test("contains the caller's options for the serving provider only", async () => {
    const options = { local: { partial_images: 1 }, second: { moderation: 'low' } };
    await readImageEvents(await askImages(gateway, { stream: true, provider: { options } }));
    expect(sent()).toMatchObject({ partial_images: 1 });
    expect(sent()).not.toHaveProperty('moderation');
  });
});

describe('image references as data URLs', () => {
  test('reach the provider unchanged, and are counted and billed', async () => {
    const response = await askImages(gateway, { input_references: [picture(PNG), picture(PNG)] });
    const { usage } = await madeImages(response);
    expect(gateway.upstream.requests('images').at(-1)).toMatchObject({
      path: '/v1/images/edits',
      fields: { images: [{ image_url: PNG }, { image_url: PNG }] },
    });
    // Three tokens of text, 512 of pictures, one picture, two references.
    expect(usage).toMatchObject({ prompt_tokens: 515, cost: 0.001915 });
    expect(await mediaOf(generationIdOf(response))).toMatchObject({ media_prompt: 2, media_completion: 1 });
  });

  test('work in a streamed request', async () => {
    const body = { input_references: [picture(PNG)], stream: true };
    const events = await readImageEvents(await askImages(gateway, body));
    expect(lastPicture(events).usage!.cost).toBeGreaterThan(0);
  });
});

describe('the routing of an image request', () => {
  test('moves to the next endpoint after a 503, streamed or not', async () => {
    for (const stream of [false, true]) {
      gateway.upstream.addFaults({ kind: 'status', on: 'images', status: 503 });
      const response = await askImages(gateway, { model: 'test/two', stream });
      await response.text();
      expect(await ledgerRow(gateway, generationIdOf(response))).toMatchObject({
        provider: 'second',
        streamed: stream,
        provider_responses: [{ status: 503, error: 'overloaded' }, { status: 200 }],
      });
    }
  });

  test("moves to the caller's next model when all endpoints of the first fail", async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'images', status: 503, times: 2 });
    const response = await askImages(gateway, { model: 'test/two', models: ['local/image-canned'] });
    await madeImages(response);
    expect((await ledgerRow(gateway, generationIdOf(response))).model).toBe('local/image-canned');
  });

  test('skips endpoints that cannot serve the request, regardless of the order', async () => {
    const endpoints = bundledCatalogs().flatMap(({ liveEndpoints }) => liveEndpoints);
    const { image } = endpoints.find(({ modelId }) => modelId === 'local/image-1')!;
    const poor = { ...image!, maxImages: 1 };
    await addImageModel(gateway, 'test/one-is-poor', [
      { provider: 'local', image: poor },
      { provider: 'second', adapter: 'openai' },
    ]);
    const response = await askImages(gateway, { model: 'test/one-is-poor', n: 2 });
    await madeImages(response);
    expect((await ledgerRow(gateway, generationIdOf(response))).provider).toBe('second');
  });
});

describe('the validation of an image request', () => {
  test.each<[string, object, string]>([
    ['no prompt', { prompt: '' }, 'body.prompt'],
    ['no model', { model: undefined }, 'body.model'],
    ['no pictures', { n: 0 }, 'body.n'],
    ['eleven pictures', { n: 11 }, 'body.n'],
    ['an unknown ratio', { aspect_ratio: '6:5' }, 'body.aspect_ratio'],
    ['an unknown tier', { resolution: '8K' }, 'body.resolution'],
    ['a size that is none', { size: 'large' }, 'body.size'],
    ['an unknown format', { output_format: 'gif' }, 'body.output_format'],
    ['too much compression', { output_compression: 101 }, 'body.output_compression'],
    ['an answer of URLs', { response_format: 'url' }, 'body.response_format'],
    ['a long session', { session_id: 'x'.repeat(257) }, 'body.session_id'],
    ['a long end user', { user: 'x'.repeat(257) }, 'body.user'],
    ['transparent JPEG', { background: 'transparent', output_format: 'jpeg' }, 'body.background'],
    ['transparent SVG', { background: 'transparent', output_format: 'svg' }, 'body.background'],
    ['pixels of another ratio', { size: '1024x1024', aspect_ratio: '16:9' }, 'body.aspect_ratio'],
    ['pixels of nearly a ratio', { size: '1344x768', aspect_ratio: '16:9' }, 'body.aspect_ratio'],
    ['pixels of another tier', { size: '1024x1024', resolution: '4K' }, 'body.resolution'],
    ['pixels of nearly a tier', { size: '2048x1152', resolution: '2K' }, 'body.resolution'],
    ['pixels that the endpoint would round', { size: '130x131' }, 'body.size'],
    ['too few pixels', { size: '16x16' }, 'body.size'],
    ['too many pixels', { size: '4000x4000' }, 'body.size'],
    [
      'another ratio than a listed size',
      { model: 'local/image-vector-1', size: '1024x1536', aspect_ratio: '3:2' },
      'body.aspect_ratio',
    ],
    ['a size near a listed one', { model: 'local/image-vector-1', size: '1024x1530' }, 'body.size'],
    ['pixels of a model that has others', { model: 'local/image-canned', size: '1024x1024' }, 'body.size'],
    ['two tiers', { size: '1K', resolution: '2K' }, 'body.size'],
    ['SVG of a model that draws', { output_format: 'svg' }, 'body.output_format'],
    [
      'PNG of a model that vectorizes',
      { model: 'local/image-vector-1', output_format: 'png' },
      'body.output_format',
    ],
    [
      'a transparent ground of it',
      { model: 'local/image-vector-1', background: 'transparent' },
      'body.background',
    ],
    ['two pictures of it', { model: 'local/image-vector-1', n: 2 }, 'body.n'],
    [
      'references to it',
      { model: 'local/image-vector-1', input_references: [picture(PNG)] },
      'body.input_references',
    ],
    [
      'seventeen references',
      { input_references: Array.from({ length: 17 }, () => picture(PNG)) },
      'body.input_references',
    ],
    [
      'a reference that is no picture',
      { input_references: [picture('data:text/plain;base64,aGk=')] },
      'body.input_references.0.image_url.url',
    ],
    [
      'an option that the provider does not take',
      { provider: { options: { local: { style: 'vivid' } } } },
      'body.provider.options.local.style',
    ],
  ])('answers 400 for %s and names the field, without an upstream request', async (_what, body, path) => {
    const calls = gateway.upstream.requests('images').length;
    const response = await askImages(gateway, body);
    expect(response.headers.get('x-generation-id')).toBeNull();
    const { code, metadata } = await errorOf(response);
    expect(code).toBe(400);
    expect(metadata.issues?.map((issue) => issue.path)).toContain(path);
    expect(gateway.upstream.requests('images')).toHaveLength(calls);
  });

  test.each([
    ['an unknown model', { model: 'no/such' }],
    ['a model for something else', { model: 'local/echo-1' }],
    ['preferences that no endpoint fits', { provider: { only: ['nobody'] } }],
  ])('answers 404 for %s', async (_what, body) => {
    expect((await askImages(gateway, body)).status).toBe(404);
  });

  test.each([
    ['agree with a ratio that leaves it open', { size: '1024x1024', aspect_ratio: 'auto' }],
    ['have exactly a ratio without a name', { size: '1280x720', aspect_ratio: '16:9' }],
  ])('accepts pixels that %s', async (_what, body) => {
    expect((await madeImages(await askImages(gateway, body))).data).toHaveLength(1);
  });
});
