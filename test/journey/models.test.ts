import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addChatModel } from '../support/catalog.ts';
import { askChat, completed } from '../support/chat.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

interface WireModel {
  id: string;
  [field: string]: unknown;
}
interface WireList {
  data: WireModel[];
  links: { next: string | null };
  total_count: number;
}
interface WireEndpoint {
  tag: string;
  uptime_last_30m: number | null;
  [field: string]: unknown;
}

let gateway: Gateway;
let caller: Caller;

beforeAll(async () => {
  gateway = await startGateway({
    worker: ['maintenance'],
    times: { sweepIntervalMs: 1_000, modelStatisticsIntervalMs: 1_000 },
  });
  caller = createCaller(gateway.origin, gateway.apiKey);
});

afterAll(() => gateway.close());

async function get<Body>(path: string, headers: Record<string, string> = {}): Promise<Body> {
  const response = await caller.call('GET', path, { headers });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Body;
}

async function idsOf(query: string): Promise<string[]> {
  return (await get<WireList>(`/models?${query}`)).data.map(({ id }) => id);
}

describe('GET /models', () => {
  test('lists reachable text models on one page', async () => {
    const list = await get<WireList>('/models');
    expect(list.data.map(({ id }) => id).toSorted()).toEqual(['local/chat-canned', 'local/echo-1']);
    expect(list).toMatchObject({ links: { next: null }, total_count: 2 });
    expect(list.data.find(({ id }) => id === 'local/echo-1')).toMatchObject({
      architecture: { modality: 'text+image+audio+file->text', tokenizer: 'Other', instruct_type: null },
      context_length: 131_072,
      pricing: { prompt: '0.000001', completion: '0.000002', request: '0', image: '0' },
      top_provider: { context_length: 131_072, max_completion_tokens: 16_384, is_moderated: false },
      knowledge_cutoff: null,
      links: { details: '/api/v1/models/local/echo-1/endpoints' },
    });
  });

  test('lists other models by output_modalities, and counts them', async () => {
    const names = ['rerank-1', 'speech-1', 'speech-canned', 'speech-tokens', 'speech-units'];
    expect(await idsOf('output_modalities=rerank,speech')).toEqual(names.map((name) => `local/${name}`));
    const all = await idsOf('output_modalities=all');
    expect(all).toEqual(expect.arrayContaining(['local/clip-1', 'local/embed-1', 'local/image-1']));
    expect(await get('/models/count?output_modalities=all')).toEqual({ data: { count: all.length } });
    expect(await get('/models/count')).toEqual({ data: { count: 2 } });
  });

  test('answers with the same bytes to a filter that excludes nothing', async () => {
    const whole = await (await caller.call('GET', '/models')).text();
    const asked = await (await caller.call('GET', '/models?output_modalities=text')).text();
    expect(asked).toBe(whole);
    expect(await (await caller.call('GET', '/models/user')).text()).toBe(whole);
  });

  test('pages through the list, and each page links the next', async () => {
    const query = 'output_modalities=all&supported_parameters=seed&sort=pricing-low-to-high';
    const whole = await idsOf(query);
    expect(whole.length).toBeGreaterThan(2);
    const seen: string[] = [];
    let next: string | null = `/api/v1/models?${query}&limit=1`;
    while (next !== null) {
      const page: WireList = await get<WireList>(next);
      expect(page.total_count).toBe(whole.length);
      seen.push(...page.data.map(({ id }) => id));
      next = page.links.next;
    }
    expect(seen).toEqual(whole);
    expect(await get('/models?offset=500')).toEqual({
      object: 'list',
      data: [],
      links: { next: null },
      total_count: 2,
    });
  });

  test.each([
    'category=gossip',
    'limit=0',
    'limit=1001',
    'offset=-1',
    'output_modalities=smell',
    'output_modalities=',
    'supported_parameters=a,,b',
    'context=0',
    'min_price=-1',
    'max_price=cheap',
    'min_price=1e400',
    'distillable=yes',
    'zdr=false',
    'region=global',
    'sort=alphabet',
    'max_tool_success_rate=1.1',
    'min_age_days=NaN',
    'q=%00',
    'q=%ED%A0%80%00',
    `q=${'x'.repeat(257)}`,
    'q=a&q=b',
  ])('answers 400 to %s, and names the parameter', async (query) => {
    const { code, metadata } = await errorOf(await caller.call('GET', `/models?${query}`));
    expect(code).toBe(400);
    expect(metadata.issues?.map(({ path }) => path)).toEqual([`query.${query.slice(0, query.indexOf('='))}`]);
  });

  test('accepts a management key and unknown parameters', async () => {
    const manager = createCaller(gateway.origin, gateway.managementKey);
    expect((await manager.call('GET', '/models?use_rss=true&__proto__=x')).status).toBe(200);
  });
});

describe('If-None-Match', () => {
  const PATHS = [
    '/models',
    '/models?sort=newest',
    '/models/user',
    '/models/count',
    '/model/local/echo-1',
    '/models/local/chat-canned/endpoints',
    '/endpoints/zdr',
    '/providers',
    '/embeddings/models',
  ];

  test.each(PATHS)('gets 304 from %s while nothing changes', async (path) => {
    const first = await caller.call('GET', path);
    await first.arrayBuffer();
    const etag = first.headers.get('etag')!;
    expect(etag).toMatch(/^"[\w-]+"$/);
    // `*` names no representation, so its answer has the tag of the uncompressed one.
    const uncompressed = etag.replace(/-(gzip|br)"$/, '"');
    for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await caller.call('GET', path, { headers: { 'if-none-match': tags } });
      const known = tags === '*' ? uncompressed : etag;
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, known, '']);
      expect(again.headers.get('cache-control')).toBe('private, no-cache');
    }
  });

  test('gets 200 if it has other tags', async () => {
    for (const tags of ['"x"', 'W/"x", "y"', '']) {
      const response = await caller.call('GET', '/models', { headers: { 'if-none-match': tags } });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
  });

  test('HEAD answers like GET, without the body', async () => {
    const whole = await caller.call('GET', '/models');
    const head = await gateway.call('HEAD', '/models');
    expect(head.status).toBe(200);
    expect(head.headers.get('etag')).toBe(whole.headers.get('etag'));
    expect(Number(head.headers.get('content-length'))).toBe((await whole.arrayBuffer()).byteLength);
    expect(await head.text()).toBe('');
  });

  test('gets 200 with another ETag once the catalog changes', async () => {
    const before = await caller.call('GET', '/models');
    await before.arrayBuffer();
    const etag = before.headers.get('etag')!;
    await addChatModel(gateway, 'test/new', [{ provider: 'local' }]);
    const after = await caller.call('GET', '/models', { headers: { 'if-none-match': etag } });
    expect(after.status).toBe(200);
    expect(await after.text()).toContain('"test/new"');
    expect(after.headers.get('etag')).not.toBe(etag);
  });
});

/** Names, as paths encode them, of models that are not there. */
const UNKNOWN =
  'nobody/nothing test/named:nitro test/Named test/named%2Ffree test%2Fnamed/x openai/gpt-5.1 %00/x'.split(
    ' ',
  );

describe('GET /model/{author}/{slug}', () => {
  beforeAll(async () => {
    const names = { canonicalSlug: 'test/named-2026', aliases: ['test/known-as'] };
    await addChatModel(gateway, 'test/named', [{ provider: 'local' }], names);
    await addChatModel(gateway, 'test/named:free', [{ provider: 'local' }]);
  });

  test.each([
    ['test/named', 'test/named'],
    ['test/named-2026', 'test/named'],
    ['test/known-as', 'test/named'],
    ['test/named:free', 'test/named:free'],
    ['test/named%3Afree', 'test/named:free'],
    ['test/known-as%3Afree', 'test/named:free'],
    ['test/n%61med', 'test/named'],
  ])('finds %s', async (name, id) => {
    const { data } = await get<{ data: WireModel }>(`/model/${name}`);
    expect(data).toMatchObject({ id, links: { details: `/api/v1/models/${id}/endpoints` } });
    expect(await get(`/models/${name}/endpoints`)).toMatchObject({ data: { id } });
  });

  test('a chat finds a model by its alias', async () => {
    const { model } = await completed(await askChat(gateway, { model: 'test/known-as' }));
    expect(model).toBe('test/named');
  });

  test.each(UNKNOWN)('answers 404 model_not_found to %s', async (name) => {
    const { code, message, metadata } = await errorOf(await caller.call('GET', `/model/${name}`));
    expect([code, message, metadata.reason]).toEqual([404, 'Resource not found', 'model_not_found']);
    const explained = await errorOf(await caller.call('GET', `/models/${name}/endpoints`));
    expect(explained).toEqual({ code, message: metadata.issues?.[0]?.message, metadata });
    expect(explained.message).toContain(`${decodeURIComponent(name)} is not a model`);
  });
});

describe('the list of endpoints', () => {
  test('shows latency, throughput and uptime after the first generations', async () => {
    await addChatModel(gateway, 'test/measured', [
      {
        provider: 'local',
        region: 'europe',
        quantization: 'fp8',
        maxPromptTokens: 9,
        cachesImplicitly: true,
      },
    ]);
    const endpoint = await eventually('the statistics', async () => {
      const { data } = await get<{ data: { endpoints: WireEndpoint[] } }>('/models/test/measured/endpoints');
      const [only] = data.endpoints;
      // The last half hour and the day are read apart.
      const isRead = only?.['uptime_last_1d'] !== null && only?.['uptime_last_5m'] !== null;
      return isRead ? only : undefined;
    });
    expect(endpoint).toMatchObject({
      tag: 'local/europe/fp8',
      name: 'Local upstream | test/measured',
      max_prompt_tokens: 9,
      supports_implicit_caching: true,
      supports_tool_choice: { auto: true, function: true, none: true, required: true },
      supports_diarization: false,
      native_tools: {},
      service_tier: null,
      latency_last_30m: { p50: expect.any(Number), p99: expect.any(Number) },
      throughput_last_30m: { p50: expect.any(Number) },
      uptime_last_5m: 100,
      uptime_last_30m: 100,
      uptime_last_1d: 100,
    });
    for (let n = 0; n < 3; n += 1) await completed(await askChat(gateway, { model: 'test/measured' }));
    await eventually('the most popular', async () => {
      const [popular] = await idsOf('sort=top-weekly&q=test');
      return popular === 'test/measured' ? true : undefined;
    });
  });

  test('GET /endpoints/zdr lists only endpoints that retain nothing', async () => {
    await addChatModel(gateway, 'test/kept', [{ provider: 'local', zdr: false, collectsData: true }]);
    const { data } = await get<{ data: { model_id: string }[] }>('/endpoints/zdr');
    const models = data.map(({ model_id: id }) => id);
    expect(models).toEqual(expect.arrayContaining(['local/echo-1', 'local/chat-canned']));
    expect(models).not.toContain('test/kept');
  });
});

test('GET /providers lists the providers of reachable models', async () => {
  expect(await get('/providers')).toEqual({
    data: [
      {
        name: 'Local upstream',
        slug: 'local',
        privacy_policy_url: null,
        terms_of_service_url: null,
        status_page_url: null,
        headquarters: null,
        datacenters: null,
      },
    ],
  });
});

test('GET /embeddings/models lists embeddings models, and has pages', async () => {
  const list = await get<WireList>('/embeddings/models?limit=1&offset=0');
  expect(list).toMatchObject({ data: [{ id: 'local/embed-1' }], links: { next: null }, total_count: 1 });
});
