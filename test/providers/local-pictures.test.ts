import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { describePicture } from '../support/images.ts';
import { startUpstream, UPSTREAM_KEY, type UpstreamClient } from './upstream-client.ts';

let client: UpstreamClient;

beforeAll(async () => {
  client = await startUpstream();
});
afterEach(() => client.upstream.clearFaults());
afterAll(() => client.upstream.close());

interface Answer {
  data: { b64_json: string }[];
  error?: { param: string };
}

async function ask(body: object, path = 'generations'): Promise<{ status: number; answer: Answer }> {
  const request = { model: 'image-1', prompt: 'A boat', size: '128x128', ...body };
  const response = await client.call('POST', `/v1/images/${path}`, request);
  return { status: response.status, answer: (await response.json()) as Answer };
}

async function draw(body: object, path?: string): Promise<Buffer> {
  const { answer } = await ask(body, path);
  return Buffer.from(answer.data[0]!.b64_json, 'base64');
}

describe('pictures of the local upstream', () => {
  test('have transparency only when requested', async () => {
    expect((await sharp(await draw({ background: 'transparent' })).stats()).isOpaque).toBe(false);
    expect((await sharp(await draw({ output_format: 'webp' })).stats()).isOpaque).toBe(true);
  });

  test('get smaller with compression', async () => {
    const sizes = await Promise.all(
      [100, 5].map(
        async (level) => (await draw({ output_format: 'jpeg', output_compression: level })).length,
      ),
    );
    expect(sizes[1]).toBeLessThan(sizes[0]!);
  });

  test('show the picture that they are drawn over', async () => {
    const red = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#f00' } })
      .png()
      .toBuffer();
    const images = [{ image_url: `data:image/png;base64,${red.toString('base64')}` }];
    const { channels } = await sharp(await draw({ images }, 'edits')).stats();
    expect(channels[0]!.mean).toBeGreaterThan(channels[2]!.mean + 50);
  });

  test('consist of SVG when the model vectorizes', async () => {
    const { answer } = await ask({ model: 'image-vector-1', size: '1536x1024' });
    expect(describePicture(answer.data[0]!.b64_json)).toEqual({ format: 'svg', width: 1536, height: 1024 });
  });

  test.each([
    ['no prompt', { prompt: '' }, 'prompt'],
    ['a size that is none', { size: '9x9' }, 'size'],
    ['too many', { n: 5 }, 'n'],
    ['transparent JPEG', { background: 'transparent', output_format: 'jpeg' }, 'background'],
    ['drafts without a stream', { partial_images: 1 }, 'partial_images'],
    ['a stream of markup', { model: 'image-vector-1', stream: true }, 'stream'],
    ['an unknown model', { model: 'dall-e-9' }, 'model'],
  ])('answer 400 in OpenAI’s envelope for %s', async (_what, body, param) => {
    const { status, answer } = await ask(body);
    expect([status, answer.error?.param]).toEqual([400, param]);
  });

  test('answer 400 for a reference by URL', async () => {
    const { status } = await ask({ images: [{ image_url: 'https://example.com/a.png' }] }, 'edits');
    expect(status).toBe(400);
  });
});

describe('the canned picture', () => {
  async function canned(json: string): Promise<string> {
    const answer = await fetch(`${client.baseUrl}/images/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${UPSTREAM_KEY}`, 'content-type': 'application/json' },
      body: json,
    });
    expect(answer.status).toBe(200);
    return `${answer.headers.get('content-type')} ${await answer.text()}`;
  }

  test.each([
    ['whole', ''],
    ['streamed', ',"stream":true'],
  ])('has the same bytes on the short and the usual path, %s', async (_, more) => {
    const quick = await canned(`{"model":"image-canned","prompt":"x"${more}}`);
    expect(await canned(`{"model"  :  "image-canned","prompt":"x"${more.replace(':', '  :  ')}}`)).toBe(
      quick,
    );
    expect(quick).toMatch(more === '' ? /^application\/json \{/ : /^text\/event-stream[^]*completed/);
  });

  test('can be decoded as PNG, and obeys faults', async () => {
    const picture = await sharp(await draw({ model: 'image-canned' })).metadata();
    expect(picture).toMatchObject({ format: 'png', width: 128, height: 128 });
    client.upstream.addFaults({ kind: 'status', on: 'images', status: 500 });
    expect((await ask({ model: 'image-canned' })).status).toBe(500);
  });
});
