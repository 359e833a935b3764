import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { parseUsd } from '../../domain/money.ts';
import { addKey, addUser } from '../support/accounts.ts';
import {
  addCredential,
  addPrivateEndpoint,
  clearOwnResources,
  type CredentialColumns,
  type CustomerServer,
  noticed,
  startCustomerServer,
} from '../support/own-resources.ts';
import { addUnreachableModel } from '../support/catalog.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { askChat, completed, ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

const UNREACHABLE = 'test/unreachable';

let gateway: Gateway;
let first: CustomerServer;
let second: CustomerServer;

beforeAll(async () => {
  [gateway, first, second] = await Promise.all([
    startGateway(),
    startCustomerServer(),
    startCustomerServer(),
  ]);
  const vendor = { provider: 'vendor', adapter: 'openai' };
  await addUnreachableModel(gateway, UNREACHABLE, 'local/echo-1', vendor);
  await addUnreachableModel(gateway, 'test/embed', 'local/embed-1', vendor);
  await addUnreachableModel(gateway, 'test/image', 'local/image-1', vendor);
  await addUnreachableModel(gateway, 'test/speech', 'local/speech-1', vendor);
});

afterAll(async () => {
  await gateway.close();
  await Promise.all([first.close(), second.close()]);
});

afterEach(async () => {
  await clearOwnResources(gateway);
  await noticed(async () => (await providersOf({}))[0] === 'shared');
});

const bring = (server: CustomerServer, columns: CredentialColumns = {}): Promise<string> =>
  addCredential(gateway, server.apiKey, {
    provider_slug: 'local',
    base_url: server.baseUrl,
    origin: server.origin,
    ...columns,
  });

/** Where a chat was tried, in order: by whose server, or `shared`. */
async function providersOf(body: object, caller?: Caller): Promise<string[]> {
  const before = [first, second].map((server) => server.requests('chat').length);
  const answer = await askChat(gateway, body, caller);
  const after = [first, second].map((server) => server.requests('chat').length);
  if (answer.status !== 200) return [];
  const row = await ledgerRow(gateway, (await completed(answer)).id);
  const own = ['first', 'second'].filter((_, i) => after[i]! > before[i]!);
  return row.is_byok ? own : [...own, 'shared'];
}

const untilFirst = (expected: string) => noticed(async () => (await providersOf({}))[0] === expected);

describe('the order of own and shared endpoints', () => {
  test('begins with private endpoints and own credentials by sort_order, before shared endpoints', async () => {
    await bring(second, { sort_order: 1 });
    await bring(first, { sort_order: 0 });
    await untilFirst('first');
    await gateway.database.query('update byok_credentials set sort_order = 2 where base_url = $1', [
      first.baseUrl,
    ]);
    await untilFirst('second');
    await bring(first, { provider_slug: 'openai-compatible' });
    await addPrivateEndpoint(gateway, first.baseUrl);
    await untilFirst('first');
  });

  test('ends with a fallback credential, which serves when the shared endpoints fail', async () => {
    await bring(first, { is_fallback: true });
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 500, times: 1_000 });
    await untilFirst('first');
    gateway.upstream.clearFaults();
    expect(await providersOf({})).toEqual(['shared']);
  });

  test.each([401, 402, 403, 429, 500])('continues with the next credential after %i', async (status) => {
    await bring(first, { sort_order: 0 });
    await bring(second, { sort_order: 1 });
    await untilFirst('first');
    first.addFaults({ kind: 'status', on: 'chat', status, times: 1 });
    expect(await providersOf({})).toEqual(['first', 'second']);
  });

  test('includes eight credentials of a vendor at most', async () => {
    for (let n = 0; n < 9; n += 1) await bring(first, { sort_order: n });
    await untilFirst('first');
    first.addFaults({ kind: 'status', on: 'chat', status: 403, times: 9 });
    const row = await ledgerRow(gateway, (await completed(await askChat(gateway, {}))).id);
    expect(row.provider_responses).toHaveLength(9);
    expect(row.provider_responses.at(-1)).toMatchObject({ is_byok: false });
    first.clearFaults();
  });
});

describe('the eight credentials of a vendor', () => {
  test('count only those that may serve the request', async () => {
    for (let n = 0; n < 8; n += 1)
      await bring(first, { sort_order: n, is_fallback: true, declared_zdr: false });
    await bring(second, { sort_order: 8, declared_zdr: true });
    await untilFirst('second');
    expect(await providersOf({ provider: { zdr: true } })).toEqual(['second']);
  });
});

describe("a private endpoint at the vendor's own address", () => {
  test('serves with a credential that names no address', async () => {
    const vendor = gateway.config.providers('local').baseUrl!;
    await addCredential(gateway, 'upstream-key', { provider_slug: 'local' });
    const id = await addPrivateEndpoint(gateway, vendor, { provider_slug: 'local' });
    const only = { provider: { only: [id] } };
    await noticed(async () => (await askChat(gateway, only)).status === 200);
  });
});

describe('a credential that excludes shared endpoints', () => {
  test('excludes them for its own models and keys only', async () => {
    const other = await addKey(gateway);
    await bring(first, { is_required: true, allowed_api_key_hashes: [other.hash] });
    const caller = createCaller(gateway.origin, other.token);
    await noticed(async () => (await providersOf({}, caller))[0] === 'first');
    first.addFaults({ kind: 'status', on: 'chat', status: 500, times: 1 });
    expect((await askChat(gateway, {}, caller)).status).toBe(502);
    expect(await providersOf({})).toEqual(['shared']);
  });

  test('excludes them for a model whose private endpoint it opens', async () => {
    await bring(first, { provider_slug: 'openai-compatible', is_required: true });
    await addPrivateEndpoint(gateway, first.baseUrl);
    await untilFirst('first');
    first.addFaults({ kind: 'status', on: 'chat', status: 500, times: 1 });
    expect((await askChat(gateway, {})).status).toBe(502);
  });

  test('excludes them for the whole workspace with is_byok_only', async () => {
    await bring(first, { is_byok_only: true, allowed_models: ['local/embed-1'] });
    await noticed(async () => (await askChat(gateway, {})).status === 404);
    await clearOwnResources(gateway);
    await untilFirst('shared');
  });

  test('excludes them although its secret cannot be opened', async () => {
    await bring(first, { is_required: true, sealed: 'v1.other.AAAA.BBBB' });
    await noticed(async () => (await askChat(gateway, {})).status === 404);
  });
});

describe('an own credential', () => {
  test.each<[string, CredentialColumns]>([
    ['when it is disabled', { disabled: true }],
    ['for a model that its list lacks', { allowed_models: ['local/embed-1'] }],
    ['for a key that its list lacks', { allowed_api_key_hashes: ['0'.repeat(64)] }],
    ['for a key of somebody whom its list lacks', { allowed_user_ids: ['user_nobody'] }],
    ['when its secret does not open', { sealed: 'v1.other.AAAA.BBBB' }],
    ['for an address of another origin than its own', { origin: 'https://elsewhere.example' }],
  ])('passes the request to the next one %s', async (_, columns) => {
    await bring(first, { ...columns, sort_order: 0 });
    await bring(second, { sort_order: 1 });
    await untilFirst('second');
  });

  test('serves no keys of users that its list lacks', async () => {
    const userId = await addUser(gateway, gateway.organizationId);
    const { token } = await addKey(gateway, { creatorUserId: userId });
    await bring(first, { allowed_user_ids: [userId] });
    await noticed(async () => (await providersOf({}, createCaller(gateway.origin, token)))[0] === 'first');
    expect(await providersOf({})).toEqual(['shared']);
  });
});

describe("the customer's declared_zdr", () => {
  test("overrides the catalog's entry for the endpoint", async () => {
    await bring(first, { declared_zdr: false });
    await untilFirst('first');
    expect(await providersOf({ provider: { zdr: true } })).not.toContain('first');
    await gateway.database.query('update byok_credentials set declared_zdr = true');
    await noticed(async () => (await providersOf({ provider: { zdr: true } }))[0] === 'first');
  });
});

describe("a model that only customers' credentials reach", () => {
  const bringVendor = () => bring(first, { provider_slug: 'vendor' });
  const status = async (caller: Caller = gateway): Promise<number> =>
    (await askChat(gateway, { model: UNREACHABLE }, caller)).status;

  test('serves workspaces with a credential, and only GET /models/user lists it', async () => {
    expect(await status()).toBe(404);
    await bringVendor();
    await noticed(async () => (await status()) === 200);
    const listed = async (path: string) =>
      (await (await gateway.call('GET', path)).text()).includes(UNREACHABLE);
    expect(await listed('/models/user')).toBe(true);
    expect(await listed('/models')).toBe(false);
  });

  test.each([
    ['/embeddings', { model: 'test/embed', input: 'Hello' }],
    ['/images', { model: 'test/image', prompt: 'A dot', size: '128x128' }],
    ['/audio/speech', { model: 'test/speech', input: 'Hm?' }],
    ['/messages', { model: UNREACHABLE, max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }],
  ])('serves %s as well', async (path, body) => {
    await bringVendor();
    await noticed(async () => {
      const answer = await gateway.call('POST', path, { body });
      await answer.arrayBuffer();
      return answer.status === 200;
    });
    const { rows } = await gateway.database.query(
      'select is_byok from generations order by created_at desc limit 1',
    );
    expect(rows).toEqual([{ is_byok: true }]);
  });
});

describe('a spending limit', () => {
  const limited = (limitUsd: string, includeByokInLimit: boolean) =>
    addKey(gateway, { limitNanos: parseUsd(limitUsd), includeByokInLimit });

  test('leaves own credentials usable when it is spent, and refuses without them', async () => {
    const { token } = await limited('0', false);
    const caller = createCaller(gateway.origin, token);
    expect((await errorOf(await askChat(gateway, {}, caller))).code).toBe(402);
    await bring(first, { is_fallback: true });
    await noticed(async () => (await providersOf({}, caller))[0] === 'first');
    first.addFaults({ kind: 'status', on: 'chat', status: 500, times: 1 });
    expect((await askChat(gateway, {}, caller)).status).toBe(502);
  });

  test('refuses own credentials when it counts them and is spent', async () => {
    await bring(first);
    await untilFirst('first');
    const { token } = await limited('0', true);
    const caller = createCaller(gateway.origin, token);
    expect((await errorOf(await askChat(gateway, {}, caller))).code).toBe(402);
    const free = await limited('0', false);
    expect(await providersOf({}, createCaller(gateway.origin, free.token))).toEqual(['first']);
  });
});

test('a credential with a new secret starts with a closed circuit', async () => {
  const id = await bring(first);
  await untilFirst('first');
  first.addFaults({ kind: 'status', on: 'chat', status: 401, times: 10 });
  for (let n = 0; n < 10; n += 1) await providersOf({});
  expect(await providersOf({})).toEqual(['shared']);
  await gateway.database.query('update byok_credentials set secret_version = $2 where id = $1', [
    id,
    randomUUID(),
  ]);
  await untilFirst('first');
});
