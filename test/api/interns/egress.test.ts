import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { MAX_EGRESS_BODY_BYTES } from '../../../contract/interns/egress.ts';
import { EventStream } from '../../../platform/event-stream.ts';
import type { EgressAnswer } from '../../../services/interns/egress/send.ts';
import type { EgressRequest } from '../../../services/interns/egress/egress-service.ts';
import { serveApi, type ServedApi } from '../support/serve-api.ts';

const KEY = { 'sluice-authorization': 'Bearer intern-key' };

let api: ServedApi;
let sent: EgressRequest[];
let answer: EgressAnswer;

beforeAll(async () => {
  api = await serveApi({
    egress: {
      send: async (egressRequest) => {
        sent.push(egressRequest);
        return answer;
      },
    },
  });
});
afterAll(() => api.close());

interface Received {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

/** Sends the request as it is; `fetch` would tidy the path up. */
function send(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: Buffer,
  origin = '',
): Promise<Received> {
  sent = [];
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  const target = `${origin}/api/v1/interns/some-id/egress/${path}`;
  request(
    { port: api.port, host: '127.0.0.1', method, path: target, headers: { ...KEY, ...headers } },
    (response) => {
      let text = '';
      response.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    },
  )
    .once('error', reject)
    .end(body);
  return promise;
}

async function* pieces(...texts: string[]) {
  yield* texts;
  return undefined;
}

beforeAll(() => {
  answer = { status: 200, headers: {} };
});

describe('an egress request', () => {
  test.each([
    ['https/api.example.com/v1/chat?a=1&b=%20', '/v1/chat', '?a=1&b=%20'],
    ['https/api.example.com', '/', ''],
    ['https/api.example.com/', '/', ''],
    ['https/api.example.com?q', '/', '?q'],
    ['https/api.example.com?', '/', '?'],
    ['https/api.example.com/a?b?c', '/a', '?b?c'],
    ['https/api.example.com/a#b?c', '/a', ''],
    [`https/api.example.com/"'\\^{}?"'\\^{}`, `/"'\\^{}`, `?"'\\^{}`],
    ['https/api.example.com/a%2Fb/%2e%2e/c', '/a%2Fb/%2e%2e/c', ''],
    ['https/api.example.com//a//', '//a//', ''],
    ['https/api.example.com/%C3%BC/../x', '/%C3%BC/../x', ''],
  ])('keeps path and query of %s unchanged', async (path, expectedPath, query) => {
    expect((await send('GET', path)).status).toBe(200);
    expect(sent).toMatchObject([
      { internId: 'some-id', scheme: 'https', host: 'api.example.com', path: expectedPath, query },
    ]);
  });

  test('keeps path and query when the request target names the gateway', async () => {
    const path = 'https/api.example.com/a{b}?"';
    expect(
      (await send('GET', path, { host: 'gateway.test:8080' }, undefined, 'http://gateway.test:8080')).status,
    ).toBe(200);
    expect(sent).toMatchObject([{ host: 'api.example.com', path: '/a{b}', query: '?"' }]);
  });

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('passes on the method %s', async (method) => {
    await send(method, 'https/api.example.com/x');
    expect(sent[0]?.method).toBe(method);
  });

  test('answers 405 to HEAD and sends nothing', async () => {
    expect((await send('HEAD', 'https/api.example.com/x')).status).toBe(405);
    expect(sent).toEqual([]);
  });

  test.each([
    ['application/json', 'not json at all'],
    ['application/octet-stream', '\u0000\u00ff'],
    ['text/plain; charset=iso-8859-1', 'caf\u00e9'],
  ])('keeps its body of type %s unchanged', async (type, text) => {
    await send('POST', 'https/api.example.com/x', { 'content-type': type }, Buffer.from(text, 'latin1'));
    expect(sent[0]?.body.toString('latin1')).toBe(text);
    expect(sent[0]?.headers['content-type']).toBe(type);
  });

  test('keeps a compressed body unchanged, even in an unknown encoding', async () => {
    const body = gzipSync('text');
    await send('POST', 'https/api.example.com/x', { 'content-encoding': 'gzip' }, body);
    expect(sent[0]?.body).toEqual(body);
    await send('POST', 'https/api.example.com/x', { 'content-encoding': 'unheard-of' }, body);
    expect(sent[0]?.body).toEqual(body);
  });

  test('accepts a body of 8 MiB and answers 413 above', async () => {
    const body = Buffer.alloc(MAX_EGRESS_BODY_BYTES);
    expect((await send('PUT', 'https/api.example.com/x', {}, body)).status).toBe(200);
    expect(sent[0]?.body.length).toBe(MAX_EGRESS_BODY_BYTES);
    const tooLong = { 'content-length': `${MAX_EGRESS_BODY_BYTES + 1}` };
    expect((await send('PUT', 'https/api.example.com/x', tooLong)).status).toBe(413);
    expect(sent).toEqual([]);
  });
});

test('egress accepts a key in Sluice-Authorization only', async () => {
  const { 'sluice-authorization': key } = KEY;
  const empty = { 'sluice-authorization': '' };
  for (const headers of [
    { ...empty, authorization: key },
    { ...empty, 'x-api-key': 'intern-key' },
  ]) {
    expect((await send('GET', 'https/api.example.com/', headers)).status).toBe(401);
  }
  await send('GET', 'https/api.example.com/', { authorization: 'Bearer of-the-host' });
  expect(sent[0]?.principal.kind).toBe('intern');
});

describe('an egress response', () => {
  test('passes on its status, its headers and repeated headers', async () => {
    answer = {
      status: 418,
      headers: { 'content-type': 'text/html', 'set-cookie': ['a=1', 'b=2'] },
      body: new EventStream(pieces('one, ', 'two')),
    };
    expect(await send('GET', 'https/api.example.com/')).toMatchObject({
      status: 418,
      headers: { 'content-type': 'text/html', 'set-cookie': ['a=1', 'b=2'] },
      body: 'one, two',
    });
  });

  test('passes on a 304 without a body', async () => {
    answer = { status: 304, headers: { etag: '"1"' } };
    expect(await send('GET', 'https/api.example.com/')).toMatchObject({
      status: 304,
      headers: { etag: '"1"' },
      body: '',
    });
  });
});
