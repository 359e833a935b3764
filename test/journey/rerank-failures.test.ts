import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { parseUsd } from '../../domain/money.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import { addKey } from '../support/accounts.ts';
import { createCaller, errorOf } from '../support/caller.ts';
import { addRerankModel } from '../support/catalog.ts';
import { generationIdOf, ledgerRow } from '../support/chat.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

/** Models that fail, so that no other one is avoided for it. Only tests of a timeout ask those with little time. */
const FAILING = 'test/failing';
const HASTY = 'test/hasty';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { PROVIDER_SECOND_API_KEY: 'upstream-key' } });
  await addRerankModel(gateway, FAILING, [{ provider: 'local' }]);
  await addRerankModel(gateway, HASTY, [{ provider: 'local', timeouts: { attemptMs: 1_000 } }]);
  await addRerankModel(gateway, 'test/twofold', [
    { provider: 'local' },
    { provider: 'second', adapter: 'cohere' },
  ]);
});

// A lost request is sent again where its connection was used before: such faults come twice.
afterEach(() => gateway.upstream.clearFaults());
afterAll(() => gateway.close());

const ASK = { model: 'local/rerank-1', query: 'a river', documents: ['the river', 'a bridge'] };

function rerank(body: object, key = gateway.apiKey): Promise<Response> {
  return createCaller(gateway.origin, key).call('POST', '/rerank', { body: { ...ASK, ...body } });
}

describe("an upstream's failure at POST /rerank", () => {
  test.each<[string, FaultInput, number, string]>([
    ['an internal error', { kind: 'status', on: 'rerank', status: 500 }, 502, 'provider_server_error'],
    ['a refused credential', { kind: 'status', on: 'rerank', status: 401 }, 502, 'provider_unauthorized'],
    ['an overload', { kind: 'status', on: 'rerank', status: 503 }, 529, 'provider_overloaded'],
    [
      'a rate limit',
      { kind: 'status', on: 'rerank', status: 429, retryAfter: '7' },
      429,
      'provider_rate_limited',
    ],
    ['a cut connection', { kind: 'drop', on: 'rerank', times: 2 }, 502, 'provider_connection_lost'],
    [
      'a cut connection after the work',
      { kind: 'drop-after', on: 'rerank', times: 2 },
      502,
      'provider_connection_lost',
    ],
    ['silence', { kind: 'hang', on: 'rerank' }, 524, 'provider_timeout'],
    ['broken JSON', { kind: 'garbage', on: 'rerank' }, 502, 'provider_invalid_response'],
    ['another shape', { kind: 'wrong-shape', on: 'rerank' }, 502, 'provider_invalid_response'],
    ['an error in a 200', { kind: 'error-body', on: 'rerank' }, 502, 'provider_server_error'],
    [
      'a refusal by policy',
      { kind: 'status', on: 'rerank', status: 400, code: 'content_filter' },
      403,
      'provider_content_policy',
    ],
  ])('%s has its own status and reason, and costs nothing', async (_what, fault, status, reason) => {
    gateway.upstream.addFaults(fault);
    const model = fault.kind === 'hang' ? HASTY : FAILING;
    const response = await rerank({ model });
    expect(response.headers.get('retry-after')).toBe(status === 429 ? '7' : null);
    expect(await errorOf(response)).toMatchObject({ code: status, metadata: { reason } });
    expect(await ledgerRow(gateway, generationIdOf(response))).toMatchObject({
      api_type: 'rerank',
      status: 'failed',
      cost_nanos: '0',
      tokens_prompt: null,
    });
  });

  test('quotes the upstream when the request is at fault', async () => {
    const response = await rerank({ documents: ['x '.repeat(8_200)] });
    const { message, metadata } = await errorOf(response);
    expect(message).toBe('Invalid request parameters');
    expect(metadata.issues).toEqual([
      {
        path: 'body',
        message: expect.stringMatching(/^was refused by the provider: .*maximum context length/),
      },
    ]);
  });

  test("leaves the key's limit unspent", async () => {
    const { token } = await addKey(gateway, { limitNanos: parseUsd('0.0001') });
    for (const kind of ['drop', 'garbage'] as const) {
      gateway.upstream.addFaults({ kind, on: 'rerank', times: 2 });
      expect((await rerank({}, token)).status).toBe(502);
      gateway.upstream.clearFaults();
    }
    expect((await rerank({}, token)).status).toBe(200);
    expect((await rerank({}, token)).status).toBe(402);
  });
});

describe('the fallback of a ranking', () => {
  const tried = async (response: Response) =>
    (await ledgerRow(gateway, generationIdOf(response))).provider_responses.map(({ endpoint_id, status }) => [
      endpoint_id,
      status,
    ]);

  test('uses the second endpoint when the first fails, and the row names both', async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'rerank', status: 503 });
    const response = await rerank({ model: 'test/twofold' });
    expect(await response.json()).toMatchObject({
      provider: 'second',
      results: [{ index: 0 }, { index: 1 }],
    });
    expect(await tried(response)).toEqual([
      ['test/twofold@local', 503],
      ['test/twofold@second', 200],
    ]);
  });

  test('stops at the first endpoint with allow_fallbacks false', async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'rerank', status: 503 });
    const response = await rerank({ model: 'test/twofold', provider: { allow_fallbacks: false } });
    expect(response.status).toBe(529);
    expect(await tried(response)).toEqual([['test/twofold@local', 503]]);
  });

  test.each([
    [{ order: ['second'] }, 'second'],
    [{ only: ['second'] }, 'second'],
    [{ ignore: ['local'] }, 'second'],
    [{ sort: 'price' as const }, 'Local upstream'],
  ])('begins with the endpoint that provider %j selects', async (provider, name) => {
    const response = await rerank({ model: 'test/twofold', provider });
    expect(await response.json()).toMatchObject({ provider: name });
  });

  test('uses another model that the request names', async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'rerank', status: 500 });
    const provider = { allow_fallbacks: false };
    const response = await rerank({ model: 'test/twofold', models: ['local/rerank-1'], provider });
    expect(await response.json()).toMatchObject({ model: 'local/rerank-1' });
  });

  test('prefers the cheaper endpoint, its search price included, by sort or max_price', async () => {
    const pricing = { prompt: '0', completion: '0', searchUnit: '0.5' };
    await addRerankModel(gateway, 'test/priced', [
      { provider: 'local', pricing },
      { provider: 'second', adapter: 'cohere' },
    ]);
    const cheap = await rerank({ model: 'test/priced', provider: { sort: 'price' } });
    expect(await cheap.json()).toMatchObject({ provider: 'second' });
    const bounded = await rerank({ model: 'test/priced', provider: { max_price: { request: '0.01' } } });
    expect(await bounded.json()).toMatchObject({ provider: 'second' });
    const provider = { only: ['local'], max_price: { request: '0.01' } };
    expect((await rerank({ model: 'test/priced', provider })).status).toBe(404);
  });
});

describe('a caller who disconnects from POST /rerank', () => {
  test("ends the upstream's request, and pays the reserved amount", async () => {
    const calls = gateway.upstream.requests('rerank').length;
    gateway.upstream.addFaults({ kind: 'hang', on: 'rerank' });
    const leaving = new AbortController();
    const left = fetch(`${gateway.origin}/api/v1/rerank`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(ASK),
    });
    const call = await eventually('the upstream at work', async () => {
      const begun = gateway.upstream.requests('rerank')[calls];
      return begun?.outcome === undefined ? undefined : begun;
    });
    leaving.abort();
    await expect(left).rejects.toThrow();
    await eventually('the end of the upstream’s work', async () => call.brokenOff);
    const row = await eventually('the row', async () => {
      const { rows } = await gateway.database.query<{ cost_nanos: string }>(
        `select cost_nanos from generations where status = 'cancelled' and api_type = 'rerank'`,
      );
      return rows[0];
    });
    expect(row.cost_nanos).toBe('100000');
  });
});

describe('an invalid request to POST /rerank', () => {
  test.each([
    ['no documents', { documents: [] }, 'body.documents'],
    ['a document of nothing', { documents: ['x', {}] }, 'body.documents.1'],
    ['a document without text or picture', { documents: [{ title: 'y' }] }, 'body.documents.0'],
    ['a picture that is none', { documents: [{ image: 'data:text/plain,x' }] }, 'body.documents.0.image'],
    ['a number for a document', { documents: [1] }, 'body.documents.0'],
    ['too many documents', { documents: Array.from({ length: 10_001 }, () => 'x') }, 'body.documents'],
    ['no query', { query: '' }, 'body.query'],
    ['no model', { model: undefined }, 'body.model'],
    ['the best none', { top_n: 0 }, 'body.top_n'],
    ['the best half', { top_n: 0.5 }, 'body.top_n'],
    ['a plugin', { plugins: [{ id: 'web' }] }, 'body.plugins'],
    ['a preset', { preset: 'mine' }, 'body.preset'],
    ['models that are no list', { models: 5 }, 'body.models'],
    ['a session that is too long', { session_id: 'x'.repeat(257) }, 'body.session_id'],
    ['an unknown order', { provider: { sort: 'fastest' } }, 'body.provider.sort'],
  ])('gets 400 that names the field: %s', async (_what, body, path) => {
    const { code, metadata } = await errorOf(await rerank(body));
    expect(code).toBe(400);
    expect(metadata.issues?.map((issue) => issue.path)).toContain(path);
  });

  test('gets 400 for a picture at a text model, without an upstream call', async () => {
    const before = gateway.upstream.requests('rerank').length;
    const documents = ['x', { image: 'https://pictures.example/a.png' }];
    const { code, metadata } = await errorOf(await rerank({ model: FAILING, documents }));
    expect(code).toBe(400);
    expect(metadata.issues).toEqual([
      {
        path: 'body.documents.1.image',
        message: 'cannot be ranked by test/failing, which takes text only',
      },
    ]);
    expect(gateway.upstream.requests('rerank')).toHaveLength(before);
  });

  test('gets 404 for a chat model', async () => {
    expect((await rerank({ model: 'local/echo-1' })).status).toBe(404);
  });
});
