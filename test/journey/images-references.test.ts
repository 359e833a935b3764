import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { errorOf } from '../support/caller.ts';
import { generationIdOf, ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { askImages, madeImages } from '../support/images.ts';
import { type LoopbackServer, startLoopbackServer } from '../platform/loopback-server.ts';

let gateway: Gateway;
let host: LoopbackServer;
/** What the host answers with. */
let answer: { status?: number; type?: string; body: Buffer };

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

beforeAll(async () => {
  gateway = await startGateway();
  host = await startLoopbackServer((_request, response) => {
    const { status = 200, type = 'image/png', body } = answer;
    response.writeHead(status, { 'content-type': type, location: 'https://example.com/' }).end(body);
  });
});

afterAll(async () => {
  await host.close();
  await gateway.close();
});

const ask = (url: string, more: object = {}) =>
  askImages(gateway, { input_references: [{ type: 'image_url', image_url: { url } }], ...more });

describe('an image reference by URL', () => {
  test('reaches the provider as bytes, without its URL', async () => {
    answer = { body: PNG };
    await madeImages(await ask(`${host.origin}/secret-path.png`));
    const { fields } = gateway.upstream.requests('images').at(-1)!;
    expect(fields).toMatchObject({
      images: [{ image_url: `data:image/png;base64,${PNG.toString('base64')}` }],
    });
    expect(JSON.stringify(fields)).not.toContain('secret-path');
  });

  test.each<[string, typeof answer, string]>([
    ['that is none', { type: 'text/html', body: PNG }, 'must be a PNG, JPEG or WebP image'],
    ['that is not there', { status: 404, body: PNG }, 'its host answered 404'],
    ['that is elsewhere', { status: 302, body: PNG }, 'its host answered 302'],
    ['that is empty', { body: Buffer.alloc(0) }, 'is empty'],
    ['that is too large', { body: Buffer.alloc(21 * 1024 ** 2) }, 'must not be larger than 20 MiB'],
  ])(
    'gets, for one %s, a 400 before any upstream request, and costs nothing',
    async (_what, given, message) => {
      answer = given;
      const calls = gateway.upstream.requests('images').length;
      const response = await ask(`${host.origin}/a.png`);
      const error = await errorOf(response);
      expect(error.code).toBe(400);
      expect(error.message).toBe('Invalid request parameters');
      const path = 'body.input_references.0.image_url.url';
      expect(error.metadata.issues).toEqual([{ path, message: expect.stringContaining(message) }]);
      expect(gateway.upstream.requests('images')).toHaveLength(calls);
      expect(await ledgerRow(gateway, generationIdOf(response))).toMatchObject({
        status: 'failed',
        cost_nanos: '0',
      });
    },
  );

  test.each([
    ['a private address', 'https://10.0.0.1/a.png'],
    ['the metadata of a cloud', 'http://169.254.169.254/latest/meta-data'],
    ['a name with a password', 'https://user:secret@example.com/a.png'],
  ])('answers 400 for %s', async (_what, url) => {
    const error = await errorOf(await ask(url));
    expect(error).toMatchObject({ code: 400 });
    expect(error.metadata.issues).toMatchObject([{ message: 'must have an address that is allowed' }]);
  });
});

describe('an image reference as a data URL', () => {
  test.each([
    ['of another kind', 'data:image/gif;base64,R0lGODlhAQABAAAAACw=', 'must be a PNG, JPEG or WebP image'],
    [
      'that is too large',
      `data:image/png;base64,${'A'.repeat(28 * 1024 ** 2)}`,
      'must not be larger than 20 MiB',
    ],
  ])('gets a 400 for one %s', async (_what, url, message) => {
    const error = await errorOf(await ask(url));
    expect(error.code).toBe(400);
    expect(error.metadata.issues).toMatchObject([{ message: expect.stringContaining(message) }]);
  });

  test('has its index in the issue when it is refused among others', async () => {
    answer = { body: PNG };
    const [here, there] = [`data:image/png;base64,${PNG.toString('base64')}`, `${host.origin}/a.png`];
    const urls = [here, there, 'https://10.0.0.1/a.png'];
    const input_references = urls.map((url) => ({ type: 'image_url', image_url: { url } }));
    const error = await errorOf(await askImages(gateway, { input_references }));
    expect(error.metadata.issues).toMatchObject([{ path: 'body.input_references.2.image_url.url' }]);
  });

  test('answers 400 provider_invalid_request if the provider cannot read it', async () => {
    const broken = PNG.subarray(0, 50).toString('base64');
    expect(await errorOf(await ask(`data:image/png;base64,${broken}`))).toMatchObject({
      code: 400,
      metadata: { reason: 'provider_invalid_request' },
    });
  });

  test('works in upper case', async () => {
    await madeImages(await ask(`DATA:IMAGE/PNG;BASE64,${PNG.toString('base64')}`));
  });
});
