import { connect } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { VideoRequest } from '../../../domain/videos/video-request.ts';
import { asRegular } from '../support/fake-services.ts';
import { openRaw, postHead } from '../support/raw-request.ts';
import { MAX_BODY_BYTES, serveApi, type ServedApi } from '../support/serve-api.ts';

const seen: VideoRequest[] = [];
const accepted = { id: 'gen-vid-1-aaaaaaaaaaaaaaaaaaaa', polling_url: '/x', status: 'pending' };

let api: ServedApi;
beforeAll(async () => {
  api = await serveApi({
    videos: {
      create: async (_principal, request) => {
        seen.push(request);
        return { status: 202, body: accepted, replayed: false };
      },
    },
  });
});
afterAll(() => api.close());

const json = { 'content-type': 'application/json' };
const video = { model: 'local/sketch', prompt: 'a boat' };

function post(body: string | Buffer | undefined, headers: Record<string, string> = json): Promise<Response> {
  return fetch(`${api.origin}/api/v1/videos`, {
    method: 'POST',
    headers: { ...asRegular, ...headers },
    ...(body === undefined ? {} : { body: new Uint8Array(Buffer.from(body)) }),
  });
}

async function bodyIssue(answer: Response): Promise<string> {
  const { error } = (await answer.json()) as {
    error: { metadata: { issues: { path: string; message: string }[] } };
  };
  expect(error.metadata.issues).toHaveLength(1);
  expect(error.metadata.issues[0]?.path).toBe('body');
  return error.metadata.issues[0]?.message ?? '';
}

describe('an invalid body', () => {
  test.each<[string, string | Buffer, string]>([
    ['empty', '', 'must not be empty'],
    ['cut short', '{"model":', 'must be well-formed JSON'],
    ['with a comment', '{} // no', 'must be well-formed JSON'],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'must be UTF-8'],
    ['a list', '[]', 'must be an object'],
    ['null', 'null', 'must be an object'],
  ])('answers 400 with the reason when it is %s', async (_what, body, message) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(await bodyIssue(answer)).toBe(message);
  });

  test.each<[string, Record<string, string>]>([
    ['no type', { 'content-type': '' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['text', { 'content-type': 'text/plain' }],
    ['another JSON type', { 'content-type': 'application/problem+json' }],
    ['another charset', { 'content-type': 'application/json; charset=utf-16' }],
    ['an unknown encoding', { ...json, 'content-encoding': 'compress' }],
    ['two encodings', { ...json, 'content-encoding': 'gzip, gzip' }],
    ['an encoding named like a property', { ...json, 'content-encoding': 'constructor' }],
  ])('answers 415 for %s', async (_what, headers) => {
    expect((await post(JSON.stringify(video), headers)).status).toBe(415);
  });

  test('answers 415 with the accepted encodings in Accept-Encoding', async () => {
    const answer = await post('x', { ...json, 'content-encoding': 'compress' });
    expect(answer.headers.get('accept-encoding')).toBe('gzip, deflate, br, zstd');
  });

  test.each(['gzip', 'deflate', 'br', 'zstd'])(
    'answers 400 when it claims %s and is plain',
    async (encoding) => {
      const answer = await post(JSON.stringify(video), { ...json, 'content-encoding': encoding });
      expect(answer.status).toBe(400);
      expect(await bodyIssue(answer)).toBe('is not valid in its Content-Encoding');
    },
  );

  test.each<[string, Buffer]>([
    ['gzip', gzipSync(JSON.stringify(video)).subarray(0, 20)],
    ['zstd', zstdCompressSync(JSON.stringify(video)).subarray(0, 20)],
    ['zstd', Buffer.alloc(0)],
  ])('answers 400 when its %s is cut short', async (encoding, body) => {
    const answer = await post(body, { ...json, 'content-encoding': encoding });
    expect(await bodyIssue(answer)).toBe('is not valid in its Content-Encoding');
  });

  test('answers 400 for a zstd window above 8 MiB', async () => {
    const params = { [constants.ZSTD_c_windowLog]: 27 };
    const body = zstdCompressSync(Buffer.alloc(16 * 1024 * 1024), { params });
    const answer = await post(body, { ...json, 'content-encoding': 'zstd' });
    expect(await bodyIssue(answer)).toBe('needs a zstd window above 8 MiB');
  });
});

describe('a valid body', () => {
  test.each<[string, Buffer, Record<string, string>]>([
    ['plain', Buffer.from(JSON.stringify(video)), json],
    [
      'with a charset',
      Buffer.from(JSON.stringify(video)),
      { 'content-type': 'Application/JSON; charset="UTF-8"' },
    ],
    ['with a byte order mark', Buffer.from(`\ufeff${JSON.stringify(video)}`), json],
    ['in gzip', gzipSync(JSON.stringify(video)), { ...json, 'content-encoding': 'GZIP' }],
    ['in deflate', deflateSync(JSON.stringify(video)), { ...json, 'content-encoding': 'deflate' }],
    ['in brotli', brotliCompressSync(JSON.stringify(video)), { ...json, 'content-encoding': 'br' }],
    ['in zstd', zstdCompressSync(JSON.stringify(video)), { ...json, 'content-encoding': 'zstd' }],
    ['with a name twice', Buffer.from('{"model":"other","model":"local/sketch","prompt":"a boat"}'), json],
  ])('answers 202 and keeps its fields when sent %s', async (_what, body, headers) => {
    const answer = await post(body, headers);
    expect(answer.status).toBe(202);
    expect(await answer.json()).toEqual(accepted);
    expect(seen.at(-1)).toEqual(video);
  });

  test('answers 202 at exactly the limit of bytes', async () => {
    const padding = 'x'.repeat(MAX_BODY_BYTES - JSON.stringify({ model: 'm', prompt: '' }).length);
    expect((await post(JSON.stringify({ model: 'm', prompt: padding }))).status).toBe(202);
  });
});

describe('a body above the limit', () => {
  test('answers 413 to its announced length and closes the connection', async () => {
    const raw = openRaw(api.port);
    raw.socket.write(postHead('Content-Type: application/json', `Content-Length: ${MAX_BODY_BYTES + 1}`));
    const answer = await raw.closed;
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toMatch(/connection: close/i);
    expect(answer).toContain('Request payload too large');
  });

  test('answers 413 during a chunked upload', async () => {
    const raw = openRaw(api.port);
    raw.socket.write(postHead('Content-Type: application/json', 'Transfer-Encoding: chunked'));
    const chunk = 'a'.repeat(16 * 1024);
    for (let sent = 0; sent <= MAX_BODY_BYTES; sent += chunk.length) raw.socket.write(`4000\r\n${chunk}\r\n`);
    expect(await raw.closed).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('answers 413 to a small body that decompresses above the limit', async () => {
    const zeros = Buffer.alloc(16 * 1024 * 1024);
    for (const [encoding, bomb] of [
      ['gzip', gzipSync(zeros)],
      ['br', brotliCompressSync(zeros)],
      ['zstd', zstdCompressSync(zeros)],
    ] as const) {
      expect(bomb.length).toBeLessThan(MAX_BODY_BYTES);
      const answer = await post(bomb, { ...json, 'content-encoding': encoding });
      expect(answer.status).toBe(413);
    }
  });
});

describe('a client that reads only after it has written its whole body', () => {
  /** More bytes than the buffers of two sockets hold. */
  const size = 32 * 1024 * 1024;
  const type = 'Content-Type: application/json';
  const zeros = Buffer.alloc(size);
  const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(1024 * 1024), Buffer.from('\r\n')]);
  const bomb = Buffer.concat([gzipSync(zeros.subarray(0, 2 * MAX_BODY_BYTES)), zeros]);

  /** Sends bytes without reading. Resolves with what was received until the server closed the connection. */
  async function writeFirst(...parts: (string | Buffer)[]): Promise<string> {
    const socket = connect(api.port, '127.0.0.1').pause();
    const written = Promise.withResolvers<void>();
    socket.once('error', written.reject);
    for (const part of parts) socket.write(part);
    socket.write('', (error) => (error ? written.reject(error) : written.resolve()));
    await written.promise;
    const received: Buffer[] = [];
    for await (const bytes of socket) received.push(bytes as Buffer);
    return Buffer.concat(received).toString('latin1');
  }

  test.each<[string, (string | Buffer)[]]>([
    ['of an announced length', [postHead(type, `Content-Length: ${size}`), zeros]],
    [
      'in chunks',
      [postHead(type, 'Transfer-Encoding: chunked'), ...Array<Buffer>(32).fill(chunk), '0\r\n\r\n'],
    ],
    [
      'that decompresses to more',
      [postHead(type, 'Content-Encoding: gzip', 'Transfer-Encoding: chunked'), ...chunksOf(bomb)],
    ],
  ])('receives 413 for a body %s', async (_what, parts) => {
    const answer = await writeFirst(...parts);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('Request payload too large');
  });
});

/** Returns bytes as one chunk of a body, and the end of the body. */
function chunksOf(bytes: Buffer): (string | Buffer)[] {
  return [`${bytes.length.toString(16)}\r\n`, bytes, '\r\n0\r\n\r\n'];
}

describe('a client that sends Expect: 100-continue', () => {
  const announce = postHead('Content-Type: application/json', 'Content-Length: 13', 'Expect: 100-continue');

  test('receives 100 Continue, then 202 for its body', async () => {
    const raw = openRaw(api.port);
    raw.socket.write(announce);
    expect(await raw.until('\r\n\r\n')).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    raw.socket.write('{"model":"m"}');
    expect(await raw.until('"pending"')).toContain('HTTP/1.1 202 ');
    raw.socket.destroy();
  });

  test('receives 401 without 100 Continue for an unknown key', async () => {
    const raw = openRaw(api.port);
    raw.socket.write(announce.replace('regular-key', 'unknown'));
    expect(await raw.closed).toMatch(/^HTTP\/1\.1 401 /);
  });

  test('receives 413 without 100 Continue for too large a body', async () => {
    const raw = openRaw(api.port);
    raw.socket.write(announce.replace('Length: 13', `Length: ${MAX_BODY_BYTES + 1}`));
    expect(await raw.closed).toMatch(/^HTTP\/1\.1 413 /);
  });
});

test('a client that leaves during its upload is logged as 499 without a service call', async () => {
  const before = seen.length;
  for (const encoding of ['identity', 'gzip']) {
    const raw = openRaw(api.port);
    const id = `leaving-${encoding}`;
    const lines = ['Content-Type: application/json', `Content-Encoding: ${encoding}`, 'Content-Length: 100'];
    raw.socket.write(postHead(...lines, `X-Request-Id: ${id}`, 'Expect: 100-continue'));
    await raw.until('100 Continue');
    raw.socket.destroy();
    expect(await api.logged({ msg: 'request', requestId: id })).toMatchObject({ status: 499 });
  }
  expect(seen).toHaveLength(before);
  expect(api.logLines.filter(({ level }) => level === 'error')).toEqual([]);
});
