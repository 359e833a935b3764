import { afterEach, expect, test } from '@jest/globals';
import { NO_METRICS } from '../../../platform/metrics.ts';
import { type ServedApi, serveApi } from '../support/serve-api.ts';

const PAGE = 'https://app.example.com';

let api: ServedApi;
afterEach(() => api.close());

async function ask(path: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(`${api.origin}${path}`, init);
  await answer.arrayBuffer();
  return answer;
}

const allowedTo = ({ headers }: Response): string | null => headers.get('access-control-allow-origin');

test.each([
  ['a success', '/healthz', 200],
  ['a request without a key', '/api/v1/keys', 401],
  ['an unknown path', '/api/v1/nothing', 404],
  ['a method that the path does not have', '/api/v1/chat/completions', 405],
  ['a path that is not encoded', '/api/v1/keys/%ff', 400],
])('CORS headers let a listed origin read %s', async (_, path, status) => {
  api = await serveApi({}, NO_METRICS, ['https://other.example.com', PAGE]);
  const answer = await ask(path, { headers: { origin: PAGE } });
  expect(answer.status).toBe(status);
  expect(allowedTo(answer)).toBe(PAGE);
  expect(answer.headers.get('access-control-expose-headers')).toBe('*');
  expect(answer.headers.get('vary')).toMatch(/\bOrigin\b/i);
  expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
});

test('a preflight without a key answers 204 and allows the requested headers', async () => {
  api = await serveApi({}, NO_METRICS, [PAGE]);
  const answer = await ask('/api/v1/chat/completions', {
    method: 'OPTIONS',
    headers: {
      origin: PAGE,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
    },
  });
  expect(answer.status).toBe(204);
  expect(allowedTo(answer)).toBe(PAGE);
  expect(answer.headers.get('access-control-allow-headers')).toBe(
    'authorization,content-type,x-stainless-lang',
  );
  expect(answer.headers.get('access-control-allow-methods')).toContain('PATCH');
  expect(answer.headers.get('access-control-max-age')).toBe('7200');
});

test('an unlisted origin gets no CORS header and no preflight', async () => {
  api = await serveApi({}, NO_METRICS, [PAGE]);
  for (const origin of ['https://evil.example.com', `${PAGE}.evil.example`, `${PAGE}:8443`, 'null']) {
    const preflight = { origin, 'access-control-request-method': 'POST' };
    expect(allowedTo(await ask('/healthz', { headers: { origin } }))).toBeNull();
    const refused = await ask('/api/v1/chat/completions', { method: 'OPTIONS', headers: preflight });
    expect([refused.status, allowedTo(refused)]).toEqual([405, null]);
  }
});

test("an egress response has the gateway's Allow-Origin and both Vary values", async () => {
  const headers = { vary: 'Accept', 'x-own': '1' };
  const egress = { send: async () => ({ status: 200, headers, body: Buffer.from('{}') }) };
  api = await serveApi({ egress }, NO_METRICS, [PAGE]);
  const answer = await ask('/api/v1/interns/some-id/egress/https/api.example.com/x', {
    headers: { origin: PAGE, 'sluice-authorization': 'Bearer intern-key' },
  });
  expect([answer.status, allowedTo(answer), answer.headers.get('x-own')]).toEqual([200, PAGE, '1']);
  expect(answer.headers.get('vary')).toBe('Origin, Accept');
});

test('an asterisk in the origins allows any origin', async () => {
  api = await serveApi({}, NO_METRICS, ['*']);
  expect(allowedTo(await ask('/api/v1/keys', { headers: { origin: PAGE } }))).toBe('*');
});

test('responses have no CORS headers when no origins are configured', async () => {
  api = await serveApi();
  const answer = await ask('/healthz', { headers: { origin: PAGE } });
  expect(allowedTo(answer)).toBeNull();
  expect(answer.headers.get('vary')).toBeNull();
});
