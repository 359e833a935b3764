import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization, addWorkspace, type Place } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { listKeys, makeKey, readKey, type WireKey } from '../support/keys.ts';
import { startReplica } from '../support/replica.ts';

let gateway: Gateway;
let manager: Caller;
let foreign: Place;

beforeAll(async () => {
  gateway = await startGateway({ times: { keyUseIntervalMs: 1_000 } });
  manager = createCaller(gateway.origin, gateway.managementKey);
  foreign = await addOrganization(gateway);
  await addKey(gateway, foreign);
});

afterAll(() => gateway.close());

/** A workspace with so many keys, quicker than one by one. */
async function crowd(count: number): Promise<string> {
  const { workspaceId } = await addWorkspace(gateway);
  await addMore(workspaceId, count);
  return workspaceId;
}

async function addMore(workspaceId: string, count: number): Promise<void> {
  await gateway.database.query(
    `insert into api_keys (hash, kind, name, label, organization_id, workspace_id)
     select encode(sha256(convert_to(gen_random_uuid()::text, 'UTF8')), 'hex'), 'regular', 'Key ' || n, '', $1, $2
     from generate_series(1, $3::int) n`,
    [gateway.organizationId, workspaceId, count],
  );
}

const idsOf = (keys: WireKey[]): number[] => keys.map(({ id }) => id);

describe('GET /keys', () => {
  test('shows the regular keys of the default workspace, the newest first', async () => {
    const [first, second] = [(await makeKey(manager)).record, (await makeKey(manager)).record];
    await addKey(gateway, { kind: 'management' });
    const { workspaceId } = await addWorkspace(gateway);
    const { token } = await addKey(gateway, { workspaceId, kind: 'management' });
    // Whichever workspace the management key is in.
    for (const by of [manager, createCaller(gateway.origin, token)]) {
      const listed = await listKeys(by);
      expect(listed.slice(0, 2)).toEqual([second, first]);
      expect(new Set(listed.map(({ workspace_id: id }) => id))).toEqual(new Set([gateway.workspaceId]));
      expect(listed.map(({ name }) => name)).toEqual(['A key', 'A key', 'First key']);
    }
  });

  test('shows the keys of every workspace of the organization, and of no other, for `all`', async () => {
    const workspaceId = await crowd(3);
    const listed = await listKeys(manager, '?workspace_id=all');
    expect(new Set(listed.map(({ workspace_id: id }) => id))).toEqual(
      new Set([gateway.workspaceId, workspaceId]),
    );
    expect(idsOf(listed)).toEqual(idsOf(listed).toSorted((a, b) => b - a));
    const before = idsOf(listed)[1];
    expect(idsOf(await listKeys(manager, `?workspace_id=all&before_id=${before}`))).toEqual(
      idsOf(listed).slice(2),
    );
    expect((await manager.call('GET', '/keys?workspace_id=every')).status).toBe(400);
  });

  test('leaves out disabled and expired keys unless the query includes them', async () => {
    const { workspaceId } = await addWorkspace(gateway);
    const place = { workspaceId };
    const names = async (query: string): Promise<string[]> =>
      (await listKeys(manager, `?workspace_id=${workspaceId}${query}`)).map(({ name }) => name);
    await addKey(gateway, { ...place, name: 'plain' });
    await addKey(gateway, { ...place, name: 'later', expiresAt: new Date(Date.now() + 600_000) });
    await addKey(gateway, { ...place, name: 'expired', expiresAt: new Date(Date.now() - 1) });
    const disabled = await addKey(gateway, { ...place, name: 'disabled' });
    const both = await addKey(gateway, { ...place, name: 'both', expiresAt: new Date(Date.now() - 1) });
    for (const { hash } of [disabled, both]) {
      await manager.call('PATCH', `/keys/${hash}`, { body: { disabled: true } });
    }
    expect(await names('')).toEqual(['later', 'plain']);
    expect(await names('&include_disabled=true')).toEqual(['disabled', 'later', 'plain']);
    expect(await names('&include_expired=true')).toEqual(['expired', 'later', 'plain']);
    const all = ['both', 'disabled', 'expired', 'later', 'plain'];
    expect(await names('&include_disabled=true&include_expired=true')).toEqual(all);
    expect(await names('&include_disabled=false&include_expired=false')).toEqual(['later', 'plain']);
  });

  test('shows a hundred a page, and the others from an offset', async () => {
    const workspaceId = await crowd(230);
    const pages = await Promise.all(
      [0, 100, 200, 230, 2_147_483_647].map((offset) =>
        listKeys(manager, `?workspace_id=${workspaceId}&offset=${offset}`),
      ),
    );
    expect(pages.map(({ length }) => length)).toEqual([100, 100, 30, 0, 0]);
    const ids = pages.flatMap(idsOf);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect(new Set(ids).size).toBe(230);
  });

  test('repeats and skips none by before_id while keys are made and deleted', async () => {
    const workspaceId = await crowd(250);
    const there = await gateway.database.query<{ id: string }>(
      'select id from api_keys where workspace_id = $1',
      [workspaceId],
    );
    const seen: number[] = [];
    let deleted = 0;
    for (let query = ''; ; query = `&before_id=${seen.at(-1)}`) {
      const page = await listKeys(manager, `?workspace_id=${workspaceId}${query}`);
      if (page.length === 0) break;
      seen.push(...idsOf(page));
      await addMore(workspaceId, 7);
      await manager.call('DELETE', `/keys/${page[0]!.hash}`);
      deleted += 1;
    }
    expect(deleted).toBe(3);
    expect(seen.length).toBe(new Set(seen).size);
    expect(seen.toSorted((a, b) => a - b)).toEqual(
      there.rows.map(({ id }) => Number(id)).toSorted((a, b) => a - b),
    );
  });

  test('answers the same 400 to a foreign and an unknown workspace', async () => {
    const [theirs, nobodys] = await Promise.all(
      [foreign.workspaceId, crypto.randomUUID()].map(async (id) =>
        visibleParts(await manager.call('GET', `/keys?workspace_id=${id}`)),
      ),
    );
    expect(theirs).toEqual(nobodys);
    const message = 'is no workspace of the organization';
    expect(JSON.parse(theirs!.body)).toMatchObject({
      error: { code: 400, metadata: { issues: [{ path: 'query.workspace_id', message }] } },
    });
  });

  test.each([
    'offset=-1',
    'offset=x',
    'offset=',
    'offset=1&offset=2',
    'before_id=0',
    'include_disabled=1',
    'include_expired=yes',
    'workspace_id=default',
    `workspace_id=' or true --`,
  ])('answers 400 to %s and names the parameter', async (query) => {
    const error = await errorOf(await manager.call('GET', `/keys?${query}`));
    expect([error.code, error.metadata.issues?.[0]?.path]).toEqual([400, `query.${query.split('=')[0]}`]);
  });
});

describe("the time of a key's last use", () => {
  const use = async (origin: string, token: string): Promise<void> => {
    expect((await createCaller(origin, token).call('GET', '/key')).status).toBe(200);
  };

  test('reaches the database when the process stops, not with each request', async () => {
    const replica = await startReplica(gateway, () => ({}), { keyUseIntervalMs: 3_600_000 });
    const { token, hash } = await addKey(gateway);
    const before = Date.now();
    try {
      for (let n = 0; n < 3; n += 1) await use(replica.origin, token);
      expect((await readKey(manager, hash)).last_used_at).toBeNull();
    } finally {
      await replica.close();
    }
    const { last_used_at: at, updated_at: updated } = await readKey(manager, hash);
    expect(Date.parse(at!)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(at!)).toBeLessThanOrEqual(Date.now());
    expect(updated).toBeNull();
  });

  test('reaches the database after the interval', async () => {
    const { token, hash } = await addKey(gateway);
    await use(gateway.origin, token);
    await eventually('the use', async () => (await readKey(manager, hash)).last_used_at);
  });

  test('leaves out requests that were refused', async () => {
    const { token, hash } = await addKey(gateway);
    await manager.call('PATCH', `/keys/${hash}`, { body: { disabled: true } });
    expect((await createCaller(gateway.origin, token).call('GET', '/key')).status).toBe(401);
    const other = await addKey(gateway);
    await use(gateway.origin, other.token);
    await eventually('the other use', async () => (await readKey(manager, other.hash)).last_used_at);
    expect((await readKey(manager, hash)).last_used_at).toBeNull();
  });
});
