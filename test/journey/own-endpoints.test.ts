import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { nanosToUsd } from '../../domain/money.ts';
import { addKey, addOrganization, addWorkspace } from '../support/accounts.ts';
import {
  addCredential,
  addPrivateEndpoint,
  clearOwnResources,
  type CustomerServer,
  noticed,
  startCustomerServer,
} from '../support/own-resources.ts';
import { addUnreachableModel } from '../support/catalog.ts';
import { createCaller } from '../support/caller.ts';
import { askChat, completed, ledgerRow, readEvents } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let server: CustomerServer;

beforeAll(async () => {
  [gateway, server] = await Promise.all([startGateway(), startCustomerServer()]);
});

afterAll(async () => {
  await gateway.close();
  await server.close();
});

afterEach(async () => {
  await clearOwnResources(gateway);
  await noticed(async () => (await completed(await askChat(gateway, {}))).usage!.is_byok === false);
});

const isOwn = async (body: object = {}): Promise<boolean> =>
  (await completed(await askChat(gateway, body))).usage?.is_byok === true;

async function bringEndpoint(): Promise<string> {
  await addCredential(gateway, server.apiKey, { base_url: server.baseUrl, origin: server.origin });
  const id = await addPrivateEndpoint(gateway, server.baseUrl);
  await noticed(isOwn);
  return id;
}

describe('a private endpoint', () => {
  test('serves its workspace first, at its own price, and costs no credits', async () => {
    const endpointId = await bringEndpoint();
    const before = server.requests('chat').length;
    const answer = await completed(await askChat(gateway, {}));
    expect(server.requests('chat').length).toBe(before + 1);
    const row = await ledgerRow(gateway, answer.id);
    expect(row).toMatchObject({ is_byok: true, provider: 'openai-compatible', status: 'completed' });
    expect(row.provider_responses).toMatchObject([{ endpoint_id: endpointId, is_byok: true, status: 200 }]);
    const price = nanosToUsd(BigInt(row.cost_nanos));
    const { prompt_tokens: prompt, completion_tokens: completion } = answer.usage!;
    expect(price).toBeCloseTo(prompt * 0.00001 + completion * 0.00002, 9);
    expect(answer.usage).toMatchObject({ cost: 0, is_byok: true });
    expect(answer.usage!.cost_details!.upstream_inference_cost).toBe(price);
  });

  test('bills each request by the prices whose conditions hold', async () => {
    const prices = { prompt: '0.00001', completion: '0.00002', cacheRead: '0', cacheWrite: '0' };
    const overrides = [
      { minPromptTokens: 50, prompt: '0.0001' },
      { serviceTier: 'flex', completion: '0.00004' },
    ];
    await addPrivateEndpoint(gateway, server.baseUrl, { pricing: { ...prices, overrides } });
    await addCredential(gateway, server.apiKey, { base_url: server.baseUrl, origin: server.origin });
    await noticed(isOwn);
    const priceOf = async (body: object): Promise<[price: number, prompt: number, completion: number]> => {
      const { id, usage } = await completed(await askChat(gateway, body));
      const { cost_nanos: nanos, is_byok: isByok } = await ledgerRow(gateway, id);
      expect([isByok, usage!.cost_details!.upstream_inference_cost]).toEqual([
        true,
        nanosToUsd(BigInt(nanos)),
      ]);
      return [nanosToUsd(BigInt(nanos)), usage!.prompt_tokens, usage!.completion_tokens];
    };
    const messages = [{ role: 'user', content: 'word '.repeat(100) }];
    const [short, long, flex] = [
      await priceOf({}),
      await priceOf({ messages }),
      await priceOf({ service_tier: 'flex' }),
    ];
    expect(short[0]).toBeCloseTo(short[1] * 0.00001 + short[2] * 0.00002, 9);
    expect(long[1]).toBeGreaterThan(50);
    expect(long[0]).toBeCloseTo(long[1] * 0.0001 + long[2] * 0.00002, 9);
    expect(flex[0]).toBeCloseTo(flex[1] * 0.00001 + flex[2] * 0.00004, 9);
  });

  test("appears with its price in GET /generation and the key's byok_usage", async () => {
    await bringEndpoint();
    const { id } = await completed(await askChat(gateway, {}));
    const { cost_nanos: nanos } = await ledgerRow(gateway, id);
    const price = nanosToUsd(BigInt(nanos));
    const generation = (await (await gateway.call('GET', `/generation?id=${id}`)).json()) as { data: object };
    expect(generation.data).toMatchObject({
      usage: 0,
      total_cost: price,
      upstream_inference_cost: price,
      is_byok: true,
    });
    const key = (await (await gateway.call('GET', '/key')).json()) as { data: { byok_usage: number } };
    expect(key.data.byok_usage).toBeGreaterThanOrEqual(price);
  });

  test('streams, with cost 0 in the last chunk', async () => {
    await bringEndpoint();
    const last = (await readEvents(await askChat(gateway, { stream: true }))).at(-1)!;
    expect(last.usage).toMatchObject({ cost: 0, is_byok: true });
    expect(last.usage!.cost_details!.upstream_inference_cost).toBeGreaterThan(0);
  });

  test('serves messages and responses as well', async () => {
    await bringEndpoint();
    const asked = { model: 'local/echo-1', max_tokens: 16 };
    const bodies: [string, object][] = [
      ['/messages', { ...asked, messages: [{ role: 'user', content: 'Hi' }] }],
      ['/responses', { model: 'local/echo-1', input: 'Hi' }],
    ];
    for (const [path, body] of bodies) {
      const answer = (await (await gateway.call('POST', path, { body })).json()) as { usage: object };
      expect(answer.usage).toMatchObject({ cost: 0, is_byok: true });
    }
  });

  test('serves embeddings of a model that no public endpoint serves', async () => {
    await addUnreachableModel(gateway, 'test/own-embed', 'local/embed-1', {
      provider: 'vendor',
      adapter: 'openai',
    });
    await addCredential(gateway, server.apiKey, { base_url: server.baseUrl });
    await addPrivateEndpoint(gateway, server.baseUrl, {
      model_id: 'test/own-embed',
      capability: 'embeddings',
      upstream_model_id: 'embed-1',
    });
    const body = { model: 'test/own-embed', input: 'Hello' };
    await noticed(async () => (await gateway.call('POST', '/embeddings', { body })).status === 200);
    const answer = (await (await gateway.call('POST', '/embeddings', { body })).json()) as { usage: object };
    expect(answer.usage).toMatchObject({ cost: 0, is_byok: true });
  });

  test("uses Anthropic's wire format for an Anthropic provider", async () => {
    const columns = { provider_slug: 'anthropic', base_url: server.baseUrl };
    await addCredential(gateway, server.apiKey, columns);
    await addPrivateEndpoint(gateway, server.baseUrl, { provider_slug: 'anthropic' });
    await noticed(isOwn);
    const before = server.requests('messages').length;
    expect(await isOwn({ stream: false, max_tokens: 10 })).toBe(true);
    expect(server.requests('messages').length).toBe(before + 1);
  });

  test('stays unknown to other organizations, and to workspaces without a credential for it', async () => {
    await bringEndpoint();
    for (const place of [await addOrganization(gateway), await addWorkspace(gateway)]) {
      const { token } = await addKey(gateway, place);
      const caller = createCaller(gateway.origin, token);
      const answer = await completed(await askChat(gateway, {}, caller));
      expect(answer.usage).toMatchObject({ is_byok: false });
      const only = await askChat(gateway, { provider: { only: ['private'] } }, caller);
      expect(only.status).toBe(404);
    }
  });

  test('matches its id and the word `private` in provider.only and provider.ignore', async () => {
    const id = await bringEndpoint();
    expect(await isOwn({ provider: { only: [id] } })).toBe(true);
    expect(await isOwn({ provider: { only: ['private'] } })).toBe(true);
    expect(await isOwn({ provider: { ignore: ['private'] } })).toBe(false);
    expect(await isOwn({ provider: { ignore: [id.toUpperCase()] } })).toBe(false);
  });

  test('gets no secret when no credential names its origin', async () => {
    const open = await startCustomerServer('');
    await addPrivateEndpoint(gateway, open.baseUrl);
    await noticed(() =>
      askChat(gateway, { provider: { only: ['private'] } }).then(({ status }) => status !== 404),
    );
    expect(open.requests('chat').at(-1)).toMatchObject({ hasKey: false });
    await open.close();
  });

  test('yields to the shared endpoints when it refuses the key', async () => {
    await addCredential(gateway, 'a wrong key'.replaceAll(' ', '-'), {
      base_url: server.baseUrl,
      origin: server.origin,
    });
    const id = await addPrivateEndpoint(gateway, server.baseUrl);
    await noticed(async () => {
      const row = await ledgerRow(gateway, (await completed(await askChat(gateway, {}))).id);
      return row.provider_responses[0]?.endpoint_id === id;
    });
    const row = await ledgerRow(gateway, (await completed(await askChat(gateway, {}))).id);
    expect(row).toMatchObject({ is_byok: false, provider: 'local' });
    expect(row.provider_responses).toMatchObject([
      { endpoint_id: id, is_byok: true, error: 'unauthorized' },
      { is_byok: false, status: 200 },
    ]);
    const strict = await askChat(gateway, { provider: { allow_fallbacks: false } });
    expect(strict.status).toBe(502);
  });
});
