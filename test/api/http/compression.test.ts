import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { request } from 'undici';
import { makeListedModel } from '../../support/listed-models.ts';
import { asManagement, asRegular } from '../support/fake-services.ts';
import { type ServedApi, serveApi } from '../support/serve-api.ts';

const DECODE = { br: brotliDecompressSync, gzip: gunzipSync };
const MANY = Array.from({ length: 40 }, (_, n) => makeListedModel({ id: `acme/model-${n}` }, {}));
const LOGGED = {
  input: { prompt: 'x'.repeat(20_000) },
  output: { completion: 'y', reasoning: null },
  error: null,
};
const ANALYTICS = {
  path: '/analytics/query',
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ metrics: ['request_count'], dimensions: ['model'] }),
} as const;

let api: ServedApi;

beforeAll(async () => {
  const row = { at: null, dimensions: ['acme/model'], labels: ['A model'], tags: [], metrics: [1] };
  api = await serveApi({
    models: { textModels: () => MANY, list: () => MANY.slice(0, 2) },
    generations: {
      content: async () => LOGGED,
    },
    analytics: {
      query: async () => ({
        summedTo: new Date(),
        rows: Array.from({ length: 500 }, () => row),
        queryTimeMs: 1,
        isTruncated: false,
        warnings: [],
      }),
    },
  });
});
afterAll(() => api.close());

interface Asked {
  path: string;
  method?: 'POST' | 'HEAD';
  headers?: Record<string, string>;
  body?: string;
}

async function ask({ path, ...rest }: Asked, acceptEncoding?: string) {
  const answer = await request(`${api.origin}/api/v1${path}`, {
    ...rest,
    headers: {
      ...asManagement,
      ...rest.headers,
      ...(acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding }),
    },
  });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  return { status: answer.statusCode, headers: answer.headers, bytes };
}

test.each([
  ['gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br, zstd', 'gzip'],
  ['br, gzip', 'br'],
  ['gzip;q=1, br;q=0.5', 'gzip'],
  ['*', 'br'],
] as const)('GET /models with Accept-Encoding %s answers compressed', async (accepted, coding) => {
  const plain = await ask({ path: '/models' });
  const coded = await ask({ path: '/models' }, accepted);
  expect(coded.headers['content-encoding']).toBe(coding);
  expect(coded.headers['content-length']).toBe(String(coded.bytes.length));
  expect(coded.headers['content-type']).toBe(plain.headers['content-type']);
  expect(DECODE[coding](coded.bytes).equals(plain.bytes)).toBe(true);
});

test.each([undefined, 'identity', 'deflate', 'gzip;q=0', 'identity;q=0'])(
  'Accept-Encoding %s leaves a long list uncompressed with Vary: accept-encoding',
  async (accepted) => {
    const { headers, bytes } = await ask({ path: '/models' }, accepted);
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers['vary']).toBe('accept-encoding');
    expect(JSON.parse(bytes.toString())).toMatchObject({ total_count: 40 });
  },
);

test('each coding has an ETag of its own, and If-None-Match with it answers 304', async () => {
  const tags = new Set<string>();
  for (const coding of ['identity', 'gzip', 'br']) {
    const { headers } = await ask({ path: '/models' }, coding);
    const etag = String(headers['etag']);
    tags.add(etag);
    const known = await ask({ path: '/models', headers: { 'if-none-match': etag } }, coding);
    expect([known.status, known.headers['etag'], known.bytes.length]).toEqual([304, etag, 0]);
    expect(known.headers['vary']).toBe('accept-encoding');
  }
  expect(tags.size).toBe(3);
});

test('HEAD has the content headers of a compressed GET', async () => {
  const [get, head] = [
    await ask({ path: '/models' }, 'gzip'),
    await ask({ path: '/models', method: 'HEAD' }, 'gzip'),
  ];
  for (const name of ['content-encoding', 'content-length', 'etag', 'vary'])
    expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
});

test('POST /analytics/query answers compressed', async () => {
  const { headers, bytes } = await ask(ANALYTICS, 'gzip');
  expect(headers['content-encoding']).toBe('gzip');
  expect(JSON.parse(gunzipSync(bytes).toString())).toMatchObject({ data: { metadata: { row_count: 500 } } });
});

test('GET /docs/openapi.json answers compressed, and 304 for its ETag', async () => {
  const ask = (headers: Record<string, string>) => request(`${api.origin}/docs/openapi.json`, { headers });
  const first = await ask({ 'accept-encoding': 'gzip' });
  const bytes = gunzipSync(Buffer.from(await first.body.arrayBuffer()));
  expect(JSON.parse(bytes.toString())).toMatchObject({ openapi: expect.any(String) });
  const again = await ask({ 'if-none-match': String(first.headers['etag']) });
  expect([again.statusCode, await again.body.text()]).toEqual([304, '']);
});

test('short responses, errors and logged content are never compressed', async () => {
  const short = await ask({ path: '/models?limit=2' }, 'gzip');
  const missing = await ask({ path: '/keys/unknown' }, 'gzip');
  const content = await ask({ path: '/generation/content?id=gen-1', headers: asRegular }, 'gzip');
  expect([short.status, missing.status, content.status]).toEqual([200, 404, 200]);
  expect(content.bytes.length).toBeGreaterThan(20_000);
  for (const { headers } of [short, missing, content])
    expect([headers['content-encoding'], headers['vary']]).toEqual([undefined, undefined]);
});
