import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createServer } from '../../../api/http/server.ts';
import { openRaw } from '../support/raw-request.ts';
import { type ServedApi, serveApi } from '../support/serve-api.ts';

let api: ServedApi;

beforeAll(async () => {
  api = await serveApi();
});
afterAll(() => api.close());

/** Sends bytes, and returns the parts of the answer. */
async function send(text: string) {
  const { socket, until, closed } = openRaw(api.port);
  socket.write(Buffer.from(text, 'latin1'));
  // The answers have bodies of JSON.
  const received = await Promise.race([until('}}'), until('"}'), closed]);
  socket.destroy();
  const [head = '', body = ''] = received.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, error: JSON.parse(body).error };
}

const HOST = 'Host: gateway\r\n';

describe("the check of a request's head", () => {
  test.each([
    ['two Host headers', 'GET /healthz HTTP/1.1\r\nHost: a\r\nhost: b\r\n', 'host must occur once'],
    ['two equal Host headers', `GET /healthz HTTP/1.1\r\n${HOST}${HOST}`, 'host must occur once'],
    ['two Host headers for an unknown path', `GET /x HTTP/1.1\r\n${HOST}${HOST}`, 'host must occur once'],
    ['no Host header', 'GET /healthz HTTP/1.1\r\n', 'host is required'],
    [
      'a malformed Host header',
      'GET /healthz HTTP/1.1\r\nHost: a b\r\n',
      'host must be a host name or address',
    ],
    ['a list of hosts', 'GET /healthz HTTP/1.1\r\nHost: a,b\r\n', 'host must be a host name or address'],
    [
      'a target with another host',
      `GET http://other/healthz HTTP/1.1\r\n${HOST}`,
      'host must equal the host in the request target',
    ],
    [
      'two Authorization headers',
      `GET /api/v1/key HTTP/1.1\r\n${HOST}Authorization: Bearer a\r\nAuthorization: Bearer b\r\n`,
      'authorization must occur once',
    ],
    [
      'two Content-Type headers',
      `POST /api/v1/rerank HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Type: text/plain\r\n`,
      'content-type must occur once',
    ],
    [
      'Transfer-Encoding in HTTP/1.0',
      'POST /api/v1/completions HTTP/1.0\r\nTransfer-Encoding: chunked\r\n',
      'transfer-encoding must be absent in HTTP/1.0',
    ],
  ])('answers 400 and names the header for %s', async (_what, head, problem) => {
    const { status, error } = await send(`${head}\r\n`);
    const [, name = '', message = ''] = /^(\S+) (.*)$/.exec(problem)!;
    expect([status, error.code, error.metadata]).toEqual([
      400,
      400,
      {
        reason: 'invalid_request',
        retryable: false,
        issues: [{ path: `headers.${name}`, message }],
      },
    ]);
  });

  test('keeps the exact error message of POST /videos', async () => {
    const { error } = await send(`POST /api/v1/videos HTTP/1.1\r\n${HOST}${HOST}\r\n`);
    expect(error.message).toBe('Invalid request parameters');
  });

  test.each(['Host: gateway:8080', 'Host: [::1]:80', 'Host: 127.0.0.1', 'Host: my_host', 'Host:'])(
    'accepts a single "%s"',
    async (host) => {
      const { socket, until } = openRaw(api.port);
      socket.write(`GET /healthz HTTP/1.1\r\n${host}\r\n\r\n`);
      expect(await until('"ok"')).toMatch(/^HTTP\/1\.1 200 /);
      socket.destroy();
    },
  );

  test('accepts a request target that names the same host', async () => {
    const { socket, until } = openRaw(api.port);
    socket.write('GET http://Gateway/healthz HTTP/1.1\r\nHost: gateway\r\n\r\n');
    expect(await until('"ok"')).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });

  test('accepts a health check in HTTP/1.0 without a Host header', async () => {
    const raw = openRaw(api.port);
    raw.socket.write('GET /healthz HTTP/1.0\r\n\r\n');
    expect(await raw.closed).toContain('"ok"');
  });
});

describe('an unparseable request', () => {
  test.each([
    [
      'two Content-Length headers',
      `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`,
    ],
    [
      'Content-Length and Transfer-Encoding',
      `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    ],
    ['another Transfer-Encoding', `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip\r\n\r\n`],
    ['a negative Content-Length', `POST / HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost : gateway\r\n\r\n'],
    ['a folded header', `GET / HTTP/1.1\r\n${HOST}X-A: b\r\n c\r\n\r\n`],
    ['an unknown method', `FOO / HTTP/1.1\r\n${HOST}\r\n`],
    ['the first bytes of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc'],
  ])('answers 400 in the usual envelope: %s', async (_what, text) => {
    const { status, head, error } = await send(text);
    expect([status, error.code, error.metadata.reason]).toEqual([400, 400, 'invalid_request']);
    expect(error.message).toMatch(/^Invalid request parameters: headers must /);
    expect(head).toContain('connection: close');
    expect(head).toContain('content-type: application/json');
  });
});

test.each([
  ['a header', `GET / HTTP/1.1\r\n${HOST}X-A: ${'b'.repeat(20_000)}\r\n\r\n`],
  ['a target', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`],
  ['many headers', `GET / HTTP/1.1\r\n${HOST}${'X-A: b\r\n'.repeat(3_000)}\r\n`],
])('%s above 16 KiB answers 431 in the usual envelope', async (_what, text) => {
  const { status, head, error } = await send(text);
  expect(status).toBe(431);
  expect(error).toEqual({
    code: 431,
    message: 'Request header fields too large: headers must have at most 16 KiB together',
    metadata: {
      reason: 'headers_too_large',
      retryable: false,
      issues: [{ path: 'headers', message: 'must have at most 16 KiB together' }],
    },
  });
  expect(head).toContain('connection: close');
  expect(head).toContain('content-type: application/json');
});

test('a connection with an unfinished response closes without an error for the next request', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/begun') response.write('begun');
  });
  const port = await server.listen(0, '127.0.0.1');
  const begun = openRaw(port);
  begun.socket.write(`GET /begun HTTP/1.1\r\n${HOST}\r\n`);
  await begun.until('begun');
  begun.socket.write('FOO');
  expect(await begun.closed).toMatch(/begun\r\n$/);
  const waiting = openRaw(port);
  waiting.socket.write(`GET /waiting HTTP/1.1\r\n${HOST}\r\nFOO`);
  expect(await waiting.closed).toBe('');
  await server.close(0);
});

test('a connection that stays silent is closed without an answer', async () => {
  const server = createServer(() => {}, { headersTimeoutMs: 100, timeoutCheckMs: 20 });
  const port = await server.listen(0, '127.0.0.1');
  expect(await openRaw(port).closed).toBe('');
  await server.close(0);
});
