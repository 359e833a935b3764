import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hashToken } from '../../services/accounts/identity/key-token.ts';
import { addKey, addOrganization } from '../support/accounts.ts';
import { runAdmin } from '../support/admin.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { makeKey, patchKey } from '../support/keys.ts';

interface Entry {
  id: string;
  action: string;
  target: string;
  actor: string;
  key_hash: string | null;
  request_id: string | null;
  created_at: string;
}

let gateway: Gateway;
let manager: Caller;

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(() => gateway.close());

async function read(by: Caller, query = ''): Promise<{ data: Entry[]; total_count: number }> {
  const response = await by.call('GET', `/audit-log${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as { data: Entry[]; total_count: number };
}

describe('the audit log', () => {
  test('begins with the bootstrap, which has no key', async () => {
    const { data, total_count: total } = await read(manager);
    expect(total).toBe(3);
    const bootstrap = data.find(({ action }) => action === 'bootstrap');
    expect(bootstrap).toMatchObject({
      target: `organizations/${gateway.organizationId}`,
      actor: 'operator',
      key_hash: null,
      request_id: null,
    });
    const made = data.filter(({ action }) => action === 'createKey').map(({ target }) => target);
    expect(made.toSorted()).toEqual(
      [gateway.apiKey, gateway.managementKey].map((token) => `keys/${hashToken(token)}`).toSorted(),
    );
  });

  test('lists key, operation, target and request, newest first', async () => {
    const { record } = await makeKey(manager);
    await manager.call('PATCH', `/keys/${record.hash}`, {
      body: { name: 'Seen' },
      headers: { 'x-request-id': 'seen-1' },
    });
    const { data } = await read(manager, '?limit=2');
    const target = `keys/${record.hash}`;
    const key_hash = hashToken(gateway.managementKey);
    expect(data[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      action: 'updateKey',
      target,
      actor: 'key',
      key_hash,
      request_id: 'seen-1',
      created_at: expect.stringMatching(/Z$/),
    });
    expect(data[1]).toMatchObject({ action: 'createKey', target, key_hash });
  });

  test('filters by action, target and key', async () => {
    const { record } = await makeKey(manager);
    await patchKey(manager, record.hash, { name: 'x' });
    const { token, hash } = await addKey(gateway, { kind: 'management' });
    await patchKey(createCaller(gateway.origin, token), record.hash, { name: 'y' });
    const target = `target=keys/${record.hash}`;
    const count = async (query: string): Promise<number> => (await read(manager, query)).total_count;
    expect(await count(`?${target}`)).toBe(3);
    expect(await count(`?${target}&action=updateKey`)).toBe(2);
    expect(await count(`?${target}&action=updateKey&key_hash=${hash}`)).toBe(1);
    expect(await count(`?key_hash=${hash}`)).toBe(1);
    expect(await count(`?action=${encodeURIComponent("' or true --")}`)).toBe(0);
  });

  test('repeats and skips no entry between pages while entries are added', async () => {
    const { record } = await makeKey(manager);
    for (let n = 0; n < 24; n += 1) await patchKey(manager, record.hash, { name: `${n}` });
    const target = `target=keys/${record.hash}`;
    const there = (await read(manager, `?${target}&limit=100`)).data.map(({ id }) => id);
    const seen: string[] = [];
    for (let before = ''; ; before = `&before=${seen.at(-1)}`) {
      const { data, total_count: total } = await read(manager, `?${target}&limit=10${before}`);
      if (data.length === 0) break;
      seen.push(...data.map(({ id }) => id));
      expect(total).toBe(25 + (seen.length > 10 ? Math.ceil(seen.length / 10) - 1 : 0));
      await patchKey(manager, record.hash, { name: 'meanwhile' });
    }
    expect(seen).toEqual(there);
  });

  test('hides its entries from another organization', async () => {
    const place = await addOrganization(gateway);
    const { token } = await addKey(gateway, { ...place, kind: 'management' });
    const stranger = createCaller(gateway.origin, token);
    expect(await read(stranger)).toEqual({ data: [], total_count: 0 });
    const [mine] = (await read(manager)).data;
    const [theirs, nobodys] = await Promise.all(
      [mine!.id, crypto.randomUUID()].map(async (id) =>
        visibleParts(await stranger.call('GET', `/audit-log?before=${id}`)),
      ),
    );
    expect(theirs).toEqual(nobodys);
    expect(theirs!.status).toBe(400);
  });

  test('answers 403 to a regular key, and 400 to invalid parameters', async () => {
    const regular = createCaller(gateway.origin, gateway.apiKey);
    expect((await errorOf(await regular.call('GET', '/audit-log'))).code).toBe(403);
    for (const query of ['limit=0', 'limit=101', 'offset=-1', 'before=x', 'action=', 'target=%00']) {
      expect((await errorOf(await manager.call('GET', `/audit-log?${query}`))).code).toBe(400);
    }
  });
});

describe('the command admin keys', () => {
  test('writes one entry for each creation, limit, disabling, enabling and deletion', async () => {
    const keys = (...args: string[]) =>
      runAdmin(gateway, ['keys', ...args, '--organization', gateway.organizationId]);
    const made = await keys('create', '--name', 'By hand', '--kind', 'management');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const hash = made.stdout.slice(0, 64);
    const token = made.stdout.trim().split('\n').at(-1)!;
    expect(hashToken(token)).toBe(hash);
    for (const args of [
      ['rate-limit', hash, '5'],
      ['disable', hash],
      ['enable', hash],
      ['delete', hash],
    ]) {
      expect(await keys(...args)).toMatchObject({ code: 0, stderr: '' });
    }
    for (const args of [
      ['disable', hash],
      ['delete', hash],
      ['rate-limit', hash, 'default'],
    ]) {
      expect(await keys(...args)).toMatchObject({ code: 2, stdout: '' });
    }
    expect((await keys('list')).stdout).not.toContain(hash);
    const { data } = await read(manager, `?target=keys/${hash}`);
    expect(data.map(({ action }) => action)).toEqual([
      'deleteKey',
      'updateKey',
      'updateKey',
      'updateKey',
      'createKey',
    ]);
    expect(data.every(({ key_hash: by, request_id: id }) => by === null && id === null)).toBe(true);
    expect((await createCaller(gateway.origin, token).call('GET', '/key')).status).toBe(401);
  });
});
