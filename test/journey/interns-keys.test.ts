import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addUser } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import { askChat, completed } from '../support/chat.ts';
import type { Gateway } from '../support/gateway.ts';
import {
  makeIntern,
  makeInternKey,
  readIntern,
  startInternGateway,
  type WireIntern,
} from '../support/interns.ts';
import { listKeys, madeOf, statusesBecome, statusOf, type WireKey } from '../support/keys.ts';
import { createScimClient, makeScimToken, userOf } from '../support/scim.ts';
import { userOf as userOfPerson } from '../support/directory.ts';

let gateway: Gateway;
let caller: Caller;
let manager: Caller;
let intern: WireIntern;

beforeAll(async () => {
  gateway = await startInternGateway();
  caller = createCaller(gateway.origin, gateway.apiKey);
  manager = createCaller(gateway.origin, gateway.managementKey);
  intern = await makeIntern(caller);
});

afterAll(() => gateway.close());

const callerOf = (token: string): Caller => createCaller(gateway.origin, token);

async function listInternKeys(id: string, query = ''): Promise<WireKey[]> {
  const response = await caller.call('GET', `/interns/${id}/keys${query}`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: WireKey[] }).data;
}

const post = (body: object, headers: Record<string, string> = {}, by = caller) =>
  by.call('POST', `/interns/${intern.id}/keys`, { body: { name: 'A key', ...body }, headers });

describe('a new key of an intern', () => {
  test('has a limit and an expiry like other keys, and appears in the list', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const terms = { limit: 5, limit_reset: 'monthly', include_byok_in_limit: true };
    const { record, token } = await makeInternKey(caller, intern.id, { ...terms, expires_at: expiresAt });
    expect(token).toMatch(/^sk-slc-/);
    expect(record).toMatchObject({
      ...terms,
      name: 'A key',
      limit_remaining: 5,
      expires_at: expiresAt,
      workspace_id: gateway.workspaceId,
      disabled: false,
      usage: 0,
    });
    expect(await listInternKeys(intern.id)).toContainEqual(record);
    expect(await auditRows(gateway, `interns/${intern.id}/keys/${record.hash}`)).toMatchObject([
      { action: 'createInternKey' },
    ]);
  });

  test('belongs to the user of the key that made it', async () => {
    const creatorUserId = await addUser(gateway, gateway.organizationId);
    const by = callerOf((await addKey(gateway, { creatorUserId })).token);
    expect((await makeInternKey(by, intern.id)).record.creator_user_id).toBe(creatorUserId);
    expect((await makeInternKey(caller, intern.id)).record.creator_user_id).toBeNull();
  });

  test('inherits end user and rate limit from a regular key, not a management key', async () => {
    const facts = { externalUser: 'customer-1', rateLimitRequests: 7 };
    const made = [];
    for (const kind of ['regular', 'management'] as const) {
      const by = callerOf((await addKey(gateway, { kind, ...facts })).token);
      const { record } = await makeInternKey(by, intern.id);
      const { rows } = await gateway.database.query<{ rate_limit_requests: number | null }>(
        'select rate_limit_requests from api_keys where hash = $1',
        [record.hash],
      );
      made.push([record.external_user, rows[0]!.rate_limit_requests]);
    }
    expect(made).toEqual([
      ['customer-1', 7],
      [null, null],
    ]);
  });

  test.each([
    ['a limit', { limitNanos: 1_000_000_000n }],
    ['an expiry', { expiresAt: new Date(Date.now() + 3_600_000) }],
  ])("answers 403 limited_key_refused to a maker's key with %s", async (_name, facts) => {
    const by = callerOf((await addKey(gateway, facts)).token);
    const { code, metadata } = await errorOf(await post({}, {}, by));
    expect({ code, reason: metadata.reason }).toEqual({ code: 403, reason: 'limited_key_refused' });
    expect((await by.call('GET', `/interns/${intern.id}/keys`)).status).toBe(200);
  });

  test('appears again, and is made once, for the same Idempotency-Key', async () => {
    const first = await madeOf(await post({ name: 'Once' }, { 'idempotency-key': 'once' }));
    const replay = await post({ name: 'Once' }, { 'idempotency-key': 'once' });
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(await madeOf(replay)).toEqual(first);
    const other = await makeIntern(caller);
    const elsewhere = await caller.call('POST', `/interns/${other.id}/keys`, {
      body: { name: 'Once' },
      headers: { 'idempotency-key': 'once' },
    });
    expect(elsewhere.status).toBe(422);
  });

  test('stays hidden from another creator with the same Idempotency-Key, who gets 422', async () => {
    const creatorUserId = await addUser(gateway, gateway.organizationId);
    const [one, two] = [await addKey(gateway, { creatorUserId }), await addKey(gateway, { creatorUserId })];
    const send = (by: Caller) => post({ name: 'Mine' }, { 'idempotency-key': 'mine' }, by);
    const first = await madeOf(await send(callerOf(one.token)));
    expect(await madeOf(await send(callerOf(two.token)))).toEqual(first);
    for (const stranger of [caller, manager]) {
      const response = await send(stranger);
      const text = await response.clone().text();
      expect(text).not.toContain(first.token);
      const { code, metadata } = await errorOf(response);
      expect([code, metadata.reason]).toEqual([422, 'idempotency_key_reused']);
    }
  });

  test.each([
    ['no name', { name: undefined }, 'body.name'],
    ['a negative limit', { limit: -1 }, 'body.limit'],
    ['a time of expiry that has passed', { expires_at: '2020-01-01T00:00:00Z' }, 'body.expires_at'],
  ])('answers 400 to %s and names the field', async (_name, body, path) => {
    const { code, metadata } = await errorOf(await post(body));
    expect({ code, issues: metadata.issues }).toMatchObject({ code: 400, issues: [{ path }] });
  });
});

describe('a key of an intern', () => {
  test('calls models like a regular key, and gets 402 beyond its limit', async () => {
    const { record, token } = await makeInternKey(caller, intern.id, { limit: 1 });
    const own = callerOf(token);
    const { usage } = await completed(await askChat(gateway, {}, own));
    const listed = (await listInternKeys(intern.id)).find(({ hash }) => hash === record.hash);
    expect(listed).toMatchObject({ usage: usage!.cost, limit_remaining: 1 - usage!.cost! });
    const described = await own.call('GET', '/key');
    expect(await described.json()).toMatchObject({
      data: { limit: 1, usage: usage!.cost, is_management_key: false },
    });
    const empty = await makeInternKey(caller, intern.id, { limit: 0 });
    expect((await askChat(gateway, {}, callerOf(empty.token))).status).toBe(402);
  });

  test('reads its own intern, and gets 403 for every change of it', async () => {
    const other = await makeInternKey(caller, intern.id);
    const own = callerOf((await makeInternKey(caller, intern.id)).token);
    const lender = await makeIntern(caller);
    expect(await readIntern(own, intern.id)).toEqual(await readIntern(caller, intern.id));
    const refused: [method: string, below: string, body?: object][] = [
      ['PATCH', '', { name: 'x' }],
      ['DELETE', ''],
      ['PUT', '/attached-vault', { vault_id: lender.vault_id }],
      ['PUT', '/attached-vault', { vault_id: 'unknown' }],
      ['DELETE', '/attached-vault'],
      ['POST', '/keys', { name: 'x' }],
      ['GET', '/keys'],
      ['DELETE', `/keys/${other.record.hash}`],
      ['DELETE', '/keys/unknown'],
    ];
    for (const [method, below, body] of refused) {
      const { code, message, metadata } = await errorOf(
        await own.call(method, `/interns/${intern.id}${below}`, { body }),
      );
      expect({ code, message, metadata }).toEqual({
        code: 403,
        message: 'Intern keys cannot perform this operation',
        metadata: { reason: 'intern_key_refused', retryable: false },
      });
    }
    expect(await statusOf(gateway, other.token)).toBe(200);
  });

  test('gets for another intern the same 404 as for an unknown one', async () => {
    const own = callerOf((await makeInternKey(caller, intern.id)).token);
    const other = await makeIntern(caller);
    const { record } = await makeInternKey(caller, other.id);
    const requests: [method: string, below: string, body?: object][] = [
      ['GET', ''],
      ['PATCH', '', { name: 'x' }],
      ['DELETE', ''],
      ['PUT', '/status', { status: 'running' }],
      ['PUT', '/attached-vault', { vault_id: intern.vault_id }],
      ['DELETE', '/attached-vault'],
      ['POST', '/keys', { name: 'x' }],
      ['GET', '/keys'],
      ['DELETE', `/keys/${record.hash}`],
    ];
    for (const [method, below, body] of requests) {
      const ask = async (id: string) =>
        visibleParts(await own.call(method, `/interns/${id}${below}`, { body }));
      const unknown = await ask('4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21');
      expect(unknown.status).toBe(404);
      expect(await ask(other.id)).toEqual(unknown);
    }
    expect(await readIntern(caller, other.id)).toEqual(other);
  });

  test('stays out of GET /keys, and its hash answers 404 there', async () => {
    const { record } = await makeInternKey(caller, intern.id);
    expect((await listKeys(manager)).map(({ hash }) => hash)).not.toContain(record.hash);
    expect((await manager.call('GET', `/keys/${record.hash}`)).status).toBe(404);
    expect((await manager.call('DELETE', `/keys/${record.hash}`)).status).toBe(404);
  });

  test('gets 401 at once after its deletion by hash', async () => {
    const { record, token } = await makeInternKey(caller, intern.id);
    expect(await statusOf(gateway, token)).toBe(200);
    const path = `/interns/${intern.id}/keys/${record.hash}`;
    const deleted = await caller.call('DELETE', path);
    expect([deleted.status, await deleted.json()]).toEqual([200, { deleted: true }]);
    expect(await statusOf(gateway, token)).toBe(401);
    expect((await caller.call('DELETE', path)).status).toBe(404);
    expect(await auditRows(gateway, `interns/${intern.id}/keys/${record.hash}`)).toMatchObject([
      { action: 'createInternKey' },
      { action: 'deleteInternKey' },
    ]);
  });

  test("survives a deletion under another intern's path, which answers 404", async () => {
    const other = await makeIntern(caller);
    const { record, token } = await makeInternKey(caller, intern.id);
    const regular = await addKey(gateway);
    for (const hash of [record.hash, regular.hash, 'f'.repeat(64), 'no-hash']) {
      expect((await caller.call('DELETE', `/interns/${other.id}/keys/${hash}`)).status).toBe(404);
    }
    expect(await statusOf(gateway, token)).toBe(200);
    expect(await statusOf(gateway, regular.token)).toBe(200);
  });

  test('gets 401 after directory sync removed the user who made it', async () => {
    const client = createScimClient(gateway, (await makeScimToken(gateway)).token);
    const { body } = await client.call('POST', '/Users', userOf());
    const creatorUserId = await userOfPerson(gateway, body.id);
    const regular = await addKey(gateway, { creatorUserId });
    const theirs = await makeIntern(callerOf(regular.token));
    const key = await makeInternKey(callerOf(regular.token), theirs.id);
    expect(await statusOf(gateway, key.token)).toBe(200);
    const Operations = [{ op: 'replace', path: 'active', value: false }];
    expect((await client.call('PATCH', `/Users/${body.id}`, { Operations })).status).toBe(200);
    await statusesBecome(gateway, [regular.token, key.token], 401);
    expect(await listInternKeys(theirs.id)).toEqual([]);
    expect(await listInternKeys(theirs.id, '?include_disabled=true')).toMatchObject([
      { hash: key.record.hash, disabled: true },
    ]);
    expect((await caller.call('DELETE', `/interns/${theirs.id}`)).status).toBe(202);
  });
});

test("GET /interns/{id}/keys lists only the intern's keys, the newest first", async () => {
  const one = await makeIntern(caller);
  const keys = [];
  for (let n = 0; n < 3; n += 1) keys.push((await makeInternKey(caller, one.id)).record);
  const hashes = keys.map(({ hash }) => hash).toReversed();
  const listed = async (query: string) => (await listInternKeys(one.id, query)).map(({ hash }) => hash);
  expect(await listed('')).toEqual(hashes);
  expect(await listed('?offset=1')).toEqual(hashes.slice(1));
  expect(await listed(`?before_id=${keys[1]!.id}`)).toEqual([keys[0]!.hash]);
  expect((await caller.call('GET', `/interns/${one.id}/keys?offset=-1`)).status).toBe(400);
});
