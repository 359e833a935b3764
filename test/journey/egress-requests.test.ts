import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { request } from 'node:http';
import net from 'node:net';
import { errorOf } from '../support/caller.ts';
import { type EgressScene, HOST, startEgressScene, WITH_KEY } from '../support/egress-scene.ts';

const NOT_FOR_HEADERS = ['two\nlines', 'caf\u00e9', '\u0000'];

let scene: EgressScene;

beforeAll(async () => {
  scene = await startEgressScene({ env: { COUNTRY_HEADER: 'X-Own-Country' } });
  await scene.addSecret('second', 'another-value');
  for (const [n, value] of NOT_FOR_HEADERS.entries()) await scene.addSecret(`odd${n}`, value);
});
afterAll(() => scene.close());
beforeEach(() => {
  scene.host.requests.length = 0;
  scene.host.answer((_request, response) => void response.end());
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Sends a GET with the path as it is, and resolves with the status. `fetch` would rewrite the path. */
function sendUnchanged(path: string): Promise<number | undefined> {
  const { port } = new URL(scene.gateway.origin);
  const headers = { 'sluice-authorization': `Bearer ${scene.key.token}`, ...WITH_KEY };
  const target = `/api/v1/interns/${scene.intern.id}/egress/https/${scene.host.at()}${path}`;
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: target, headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    })
      .once('error', reject)
      .end();
  });
}

describe('an egress request', () => {
  test('carries the value in place of its placeholder', async () => {
    const response = await scene.send('GET', '/v1/me');
    expect(response.status).toBe(200);
    expect(response.headers.get('sluice-egress')).toBe('forwarded');
    expect(scene.host.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${scene.value}`,
      host: scene.host.at(),
    });
  });

  test('carries a Basic credential made of a value', async () => {
    await scene.send('GET', '/', { headers: { authorization: '{{basic:me:key}}' } });
    expect(scene.host.requests[0]?.headers['authorization']).toBe(`Basic ${base64(`me:${scene.value}`)}`);
  });

  test('carries several values in headers of any name', async () => {
    const headers = { 'x-api-key': '{{secret:second}}', cookie: 'a={{secret:key}}; b={{secret:second}}' };
    await scene.send('GET', '/', { headers });
    expect(scene.host.requests[0]?.headers).toMatchObject({
      'x-api-key': 'another-value',
      cookie: `a=${scene.value}; b=another-value`,
    });
  });

  test.each([
    ['/v1/chat?a=1&b=%2F&c={x}', '/v1/chat?a=1&b=%2F&c={x}'],
    ['/a%2Fb%2F..%2Fc', '/a%2Fb%2F..%2Fc'],
    ['//double//', '//double//'],
    ['', '/'],
    ['?only=query', '/?only=query'],
  ])('carries the path and query %s unchanged', async (path, received) => {
    await scene.send('GET', path);
    expect(scene.host.requests[0]?.url).toBe(received);
  });

  test.each([
    [`/'"{}^\\|<>\`[]`, `/'"{}^\\|<>\`[]`],
    [`/?'"{}^\\|<>\`[]`, `/?'"{}^\\|<>\`[]`],
    ['/lone?', '/lone?'],
    ['?', '/?'],
    ['/a/../b/./c', '/b/c'],
    ['/../../a/..', '/'],
    ['/a/.', '/a/'],
    ['/.//other.example/..', '//'],
    ['/a/%2e%2E/b/%2e', '/a/%2e%2E/b/%2e'],
    ['/a\\..\\b', '/a\\..\\b'],
    ['/a?b=/../c', '/a?b=/../c'],
    ['/.../.a/..b', '/.../.a/..b'],
  ])('carries the path and query %s, which URL parsers would rewrite, as %s', async (path, received) => {
    expect(await sendUnchanged(path)).toBe(200);
    expect(scene.host.requests[0]).toMatchObject({ url: received, headers: { host: scene.host.at() } });
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'carries the exact bytes of the body of a %s',
    async (method) => {
      const body = Buffer.from([0, 255, 123, 34, 10]);
      await scene.send(method, '/upload', {
        headers: { ...WITH_KEY, 'content-type': 'application/x-own', 'content-encoding': 'own' },
        body,
      });
      expect(scene.host.requests).toMatchObject([
        { method, body, headers: { 'content-type': 'application/x-own', 'content-encoding': 'own' } },
      ]);
    },
  );

  test('loses the headers of proxies and connection, and carries sluice-hops alone of the gateway', async () => {
    await scene.send('GET', '/', {
      headers: {
        ...WITH_KEY,
        'sluice-anything': '1',
        'x-forwarded-for': '203.0.113.1',
        forwarded: 'for=203.0.113.1',
        via: '1.1 proxy',
        range: 'bytes=0-1',
        'accept-encoding': 'gzip',
        te: 'trailers',
        accept: 'text/plain',
        'x-real-ip': '203.0.113.1',
        'x-client-ip': '203.0.113.1',
        'cf-connecting-ip': '203.0.113.1',
        'cf-ipcountry': 'CH',
        'true-client-ip': '203.0.113.1',
        'x-envoy-external-address': '203.0.113.1',
        'x-own-country': 'CH',
        'x-own': 'passes',
        'cf-access-client-id': 'passes',
      },
    });
    const { headers } = scene.host.requests[0]!;
    expect(headers).toMatchObject({ accept: 'text/plain', 'accept-encoding': 'identity' });
    const names = Object.keys(headers).filter(
      (name) =>
        /^(sluice-|x-forwarded-|forwarded|via|range|te$|x-|cf-)/.test(name) ||
        headers[name] === '203.0.113.1',
    );
    expect(names).toEqual(['x-own', 'cf-access-client-id', 'sluice-hops']);
  });
});

describe('an invalid egress request', () => {
  const tests: [string, number, string, Parameters<EgressScene['send']>[2]][] = [
    ['without a placeholder', 400, 'invalid_request', { headers: { authorization: 'Bearer own' } }],
    [
      'with a placeholder only in a header that stays',
      400,
      'invalid_request',
      { headers: { via: '{{secret:key}}' } },
    ],
    ['with half a placeholder', 400, 'invalid_request', { headers: { ...WITH_KEY, 'x-a': '{{secret:key}' } }],
    ['for an unknown name', 403, 'secret_not_for_host', { headers: { a: '{{secret:unknown}}' } }],
    ['to another host than the secret’s', 403, 'secret_not_for_host', { host: 'other.host.localhost' }],
    ['to a host below the secret’s', 403, 'secret_not_for_host', { host: `x.${HOST}` }],
    ['to an address', 400, 'invalid_request', { host: '127.0.0.1' }],
    ['to an address in disguise', 400, 'invalid_request', { host: '0x7f.1' }],
    ['to an IPv6 address', 400, 'invalid_request', { host: '[::1]' }],
    ['with userinfo', 400, 'invalid_request', { host: `user:password@${HOST}` }],
    ['with userinfo that is escaped', 400, 'invalid_request', { host: `user%40${HOST}` }],
    ['with a slash in the host', 400, 'invalid_request', { host: `evil.example%2F${HOST}` }],
    ['with a port that is none', 400, 'invalid_request', { host: `${HOST}:65536` }],
    ['with the port 0', 400, 'invalid_request', { host: `${HOST}:00` }],
    ['by another scheme', 400, 'invalid_request', { scheme: 'ftp' }],
  ];
  test.each(tests)('fails, and nothing is sent, %s', async (_, status, reason, options) => {
    const error = await errorOf(await scene.send('GET', '/', options));
    expect(error).toMatchObject({ code: status, metadata: { reason } });
    expect(scene.host.requests).toEqual([]);
  });

  test.each(NOT_FOR_HEADERS.map((value, n) => ({ value, n })))(
    'fails with 422 for a value that no header can carry: $value',
    async ({ n }) => {
      const error = await errorOf(await scene.send('GET', '/', { headers: { a: `{{secret:odd${n}}}` } }));
      expect(error).toMatchObject({ code: 422, metadata: { reason: 'value_not_for_header' } });
      expect(scene.host.requests).toEqual([]);
    },
  );

  test.each(['authorization', 'x-own'])(
    "fails with 400 if the header %s holds the intern's key",
    async (name) => {
      const headers = { 'x-api-key': '{{secret:key}}', [name]: `Bearer ${scene.key.token}` };
      const error = await errorOf(await scene.send('GET', '/', { headers }));
      expect(error).toMatchObject({
        code: 400,
        metadata: { issues: [{ path: `headers.${name}`, message: 'must not hold the key of the intern' }] },
      });
      expect(scene.host.requests).toEqual([]);
    },
  );

  test.each(['Basic', 'basic ', 'Negotiate abc, BASIC'])(
    "fails with 400 if a credential after %s holds the intern's key",
    async (scheme) => {
      for (const text of [`x:${scene.key.token}`, `${scene.key.token}:`, `${scene.key.token}:x`]) {
        const headers = { 'x-api-key': '{{secret:key}}', authorization: `${scheme} ${base64(text)}` };
        const error = await errorOf(await scene.send('GET', '/', { headers }));
        const issue = { path: 'headers.authorization', message: 'must not hold the key of the intern' };
        expect(error).toMatchObject({ code: 400, metadata: { issues: [issue] } });
      }
      expect(scene.host.requests).toEqual([]);
    },
  );

  test('fails with 413 above 8 MiB', async () => {
    const { hostname, port, host } = new URL(scene.gateway.origin);
    const socket = net.connect(Number(port), hostname);
    socket.write(
      [
        `POST /api/v1/interns/${scene.intern.id}/egress/https/${scene.host.at()}/ HTTP/1.1`,
        `host: ${host}`,
        `sluice-authorization: Bearer ${scene.key.token}`,
        'authorization: {{secret:key}}',
        `content-length: ${8 * 1024 ** 2 + 1}`,
        '\r\n',
      ].join('\r\n'),
    );
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
    expect(scene.host.requests).toEqual([]);
  });
});

test('a host with capitals and a trailing dot is the same host', async () => {
  const host = `API.host.localhost.:${scene.host.port}`;
  expect((await scene.send('GET', '/', { host })).status).toBe(200);
  expect(scene.host.requests[0]?.headers['host']).toBe(scene.host.at());
});

test("a Basic credential of the intern's own reaches the host unchanged", async () => {
  const headers = { 'x-api-key': '{{secret:key}}', authorization: `Basic ${base64('me:of my own')}` };
  expect((await scene.send('GET', '/', { headers })).status).toBe(200);
  expect(scene.host.requests[0]?.headers['authorization']).toBe(headers.authorization);
});

describe('the egress log', () => {
  test('gets an entry for each request that was sent, without path and body', async () => {
    scene.host.answer((_request, response) => void response.writeHead(201).end('twelve bytes'));
    const response = await scene.send('POST', '/secret-path?secret-query', { body: 'secret-body' });
    await response.text();
    const [entry] = await scene.log();
    expect(entry).toEqual({
      created_at: expect.any(String),
      key_hash: scene.key.hash,
      method: 'POST',
      host: scene.host.at(),
      names: ['key'],
      status: 201,
      bytes: 12,
    });
  });

  test('gets no entry for a refused request', async () => {
    const before = await scene.log();
    await scene.send('GET', '/', { headers: { a: '{{secret:unknown}}' } });
    expect(await scene.log()).toEqual(before);
  });

  test('lists each entry once, page by page', async () => {
    for (let n = 0; n < 3; n += 1) await (await scene.send('GET', '/')).text();
    const all = await scene.log();
    const pages: unknown[] = [];
    let query = '?limit=2';
    for (;;) {
      const response = await scene.gateway.call('GET', `/interns/${scene.intern.id}/egress-log${query}`);
      const page = (await response.json()) as { data: unknown[]; has_more: boolean; next_cursor?: string };
      pages.push(...page.data);
      expect(page.has_more).toBe(page.next_cursor !== undefined);
      if (page.next_cursor === undefined) break;
      query = `?limit=2&starting_after=${page.next_cursor}`;
    }
    expect(pages).toEqual(all);
  });

  test.each(['?limit=0', '?limit=101', '?starting_after=x', `?starting_after=${'a'.repeat(40)}`])(
    'answers 400 for %s',
    async (query) => {
      const response = await scene.gateway.call('GET', `/interns/${scene.intern.id}/egress-log${query}`);
      expect(response.status).toBe(400);
    },
  );
});
