/** Checks that vectors and pictures in other forms than asked for reach callers in the contract's shape. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addEmbeddingsModel, addImageModel } from '../support/catalog.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { askImages, lastPicture, readImageEvents } from '../support/images.ts';
import { sendJson, startVendorServer, type VendorServer } from '../support/vendor-server.ts';

const FLOATS = [0.5, -0.25, 1, 0.125, 2, -3, 0.75, 4];
const BASE64 = Buffer.from(new Float32Array(FLOATS).buffer).toString('base64');
const PICTURE = Buffer.from('89504e470d0a1a0a0001', 'hex');

let gateway: Gateway;
let vendor: VendorServer;
let embedding: unknown = FLOATS;
let usage: object | undefined = { prompt_tokens: 3, total_tokens: 3 };
let picture: object = { b64_json: PICTURE.toString('base64') };
let events: object[] = [];

beforeAll(async () => {
  vendor = await startVendorServer(({ path, body }, response) => {
    if (path === '/picture.jpg')
      return void response.writeHead(200, { 'content-type': 'image/jpeg' }).end(PICTURE);
    if (path.endsWith('/embeddings')) {
      const data = [{ object: 'embedding', index: 0, embedding }];
      return sendJson(response, 200, { object: 'list', data, usage });
    }
    if (body.includes('"stream":true')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    }
    sendJson(response, path.includes('/images/') ? 200 : 404, { created: 1, data: [picture] });
  });
  gateway = await startGateway();
  const endpoint = { provider: 'bent', adapter: 'openai-compatible', baseUrl: vendor.baseUrl };
  await addEmbeddingsModel(gateway, 'bent/embed', [endpoint]);
  await addImageModel(gateway, 'bent/image', [endpoint]);
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

describe('POST /embeddings with an unusual vendor', () => {
  const embed = async (encoding?: string) => {
    const answer = await gateway.call('POST', '/embeddings', {
      body: { model: 'bent/embed', input: 'a', ...(encoding && { encoding_format: encoding }) },
    });
    const body = (await answer.json()) as { data?: { embedding: unknown }[] };
    return [answer.status, body.data?.[0]?.embedding];
  };

  test.each<[string, unknown, string | undefined, unknown]>([
    ['numbers as base64', FLOATS, 'base64', BASE64],
    ['base64 as numbers', BASE64, 'float', FLOATS],
    ['base64 as numbers by default', BASE64, undefined, FLOATS],
    ['a list in a list as one list', [FLOATS], 'float', FLOATS],
    ['base64 unchanged', BASE64, 'base64', BASE64],
  ])('answers with the vector that the caller wants: %s', async (_, sent, encoding, expected) => {
    embedding = sent;
    expect(await embed(encoding)).toEqual([200, expected]);
  });

  test('a vector without a count costs the prompt including the provider options', async () => {
    [embedding, usage] = [FLOATS, undefined];
    const provider = { options: { bent: { a_field_of_tomorrow: 'word '.repeat(1_000) } } };
    const body = { model: 'bent/embed', input: 'a', provider };
    const answer = await gateway.call('POST', '/embeddings', { body });
    const { usage: counted } = (await answer.json()) as { usage: { prompt_tokens: number } };
    expect(counted.prompt_tokens).toBeGreaterThan(1_250);
  });

  test.each<[unknown]>([['abc'], [[]], [{}], [null]])(
    'an unreadable vector answers 502: %j',
    async (sent) => {
      embedding = sent;
      expect(await embed('float')).toEqual([502, undefined]);
    },
  );
});

describe('POST /images with an unusual vendor', () => {
  const draw = async () => {
    const answer = await gateway.call('POST', '/images', { body: { model: 'bent/image', prompt: 'a boat' } });
    const body = (await answer.json()) as { data?: { b64_json: string; media_type?: string }[] };
    return { status: answer.status, ...body.data?.[0] };
  };

  test.each<[string, () => object, object]>([
    ['behind a URL', () => ({ url: `${vendor.origin}/picture.jpg` }), { media_type: 'image/jpeg' }],
    ['into a data URL', () => ({ url: `data:image/png;base64,${PICTURE.toString('base64')}` }), {}],
    [
      'behind a URL beside a base64 that is null',
      () => ({ b64_json: null, url: `${vendor.origin}/picture.jpg` }),
      { media_type: 'image/jpeg' },
    ],
  ])('answers with a picture that the vendor put %s', async (_, sent, more) => {
    picture = sent();
    expect(await draw()).toMatchObject({ status: 200, b64_json: PICTURE.toString('base64'), ...more });
  });

  test('a picture behind a URL that the guard refuses answers 502', async () => {
    picture = { url: 'http://169.254.169.254/latest' };
    expect(await draw()).toEqual({ status: 502 });
  });

  test('a picture behind a URL that serves no picture answers 502', async () => {
    picture = { url: `${vendor.origin}/gone.jpg` };
    expect(await draw()).toEqual({ status: 502 });
  });
});

describe('a streamed image with an unusual vendor', () => {
  const draw = (n = 1) => askImages(gateway, { model: 'bent/image', stream: true, n });
  const partial = { type: 'image_generation.partial_image', partial_image_index: 0 };
  const completed = { type: 'image_generation.completed' };
  const base64 = PICTURE.toString('base64');

  test('fetches images behind URLs and drops drafts behind URLs', async () => {
    const url = `${vendor.origin}/picture.jpg`;
    events = [
      { ...partial, url: `${vendor.origin}/gone.jpg` },
      { ...partial, b64_json: null, url },
      { ...partial, b64_json: 'AAAA', partial_image_index: 2 },
      { ...completed, url, usage: { input_tokens: 3, output_tokens: 9 } },
      { ...completed, b64_json: '', url },
      { ...completed, url: `data:image/png;base64,${base64}` },
    ];
    const arrived = await readImageEvents(await draw(3));
    const jpeg = { type: 'image_generation.completed', b64_json: base64, media_type: 'image/jpeg' };
    expect(arrived).toMatchObject([
      { type: 'image_generation.partial_image', b64_json: 'AAAA', partial_image_index: 2 },
      { ...jpeg, image_index: 0 },
      { ...jpeg, image_index: 1 },
      { b64_json: base64, media_type: 'image/png', image_index: 2 },
    ]);
    expect(lastPicture(arrived).usage).toMatchObject({ completion_tokens: 9 });
  });

  test.each([
    ['the guard refuses', () => 'http://169.254.169.254/latest', 'provider_not_connected'],
    ['answers no picture', () => `${vendor.origin}/gone.jpg`, 'provider_invalid_response'],
  ])('fails with 502 or an error event if its URL %s', async (_, urlOf, code) => {
    events = [{ ...completed, url: urlOf() }];
    expect((await draw()).status).toBe(502);
    events = [{ ...completed, b64_json: 'AAAA' }, ...events];
    const arrived = await readImageEvents(await draw(2));
    expect(arrived).toMatchObject([
      { type: 'image_generation.completed', b64_json: 'AAAA' },
      { type: 'error', error: { code } },
    ]);
  });
});
