import { describe, expect, test } from '@jest/globals';
import { addKey, addOrganization, addWorkspace, type Place } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import { askChat, completed, ledgerRow } from '../support/chat.ts';
import { eventually } from '../support/eventually.ts';
import type { Gateway } from '../support/gateway.ts';
import { keyOf, listKeys, makeKey, patchKey, readKey } from '../support/keys.ts';
import { type Replica, useReplica } from '../support/replica.ts';
import { summed } from '../support/summed.ts';

let gateway: Gateway;
let replica: Replica;
let manager: Caller;
let elsewhere: Place;
let foreign: Place;

useReplica(async (...opened) => {
  [gateway, replica] = opened;
  manager = createCaller(gateway.origin, gateway.managementKey);
  elsewhere = await addWorkspace(gateway);
  foreign = await addOrganization(gateway);
});

async function move(hash: string, workspaceId = elsewhere.workspaceId): Promise<void> {
  await keyOf(await patchKey(manager, hash, { workspace_id: workspaceId }));
}

async function workspaceOf(origin: string, token: string): Promise<string> {
  const answer = await createCaller(origin, token).call('GET', '/key');
  return ((await answer.json()) as { data: { workspace_id: string } }).data.workspace_id;
}

/** What the workspaces' counters have, in nanodollars. */
async function spentIn(workspaceId: string): Promise<number> {
  await summed(gateway.database);
  const { rows } = await gateway.database.query<{ spent: string }>(
    'select coalesce(sum(usage_nanos), 0) spent from workspace_usage where workspace_id = $1',
    [workspaceId],
  );
  return Number(rows[0]!.spent);
}

describe('a key that moves to another workspace', () => {
  test('keeps its value and its settings, and GET /keys lists it there', async () => {
    const facts = { limit: 5, limit_reset: 'daily', external: { user: 'customer-1' } };
    const { record, token } = await makeKey(manager, facts);
    const moved = await keyOf(
      await patchKey(manager, record.hash, {
        workspace_id: elsewhere.workspaceId.toUpperCase(),
        name: 'New',
      }),
    );
    expect(moved).toEqual({
      ...record,
      name: 'New',
      workspace_id: elsewhere.workspaceId,
      updated_at: expect.stringMatching(/Z$/),
    });
    expect((await listKeys(manager)).map(({ id }) => id)).not.toContain(record.id);
    const there = await listKeys(manager, `?workspace_id=${elsewhere.workspaceId}`);
    expect(there.map(({ id }) => id)).toContain(record.id);
    expect(await workspaceOf(gateway.origin, token)).toBe(elsewhere.workspaceId);
  });

  test('counts there at once, and on every replica after the notification', async () => {
    const { record, token } = await makeKey(manager);
    for (const { origin } of [gateway, replica]) {
      expect(await workspaceOf(origin, token)).toBe(gateway.workspaceId);
    }
    await move(record.hash);
    const { id } = await completed(await askChat(gateway, {}, createCaller(gateway.origin, token)));
    expect(await recordedIn(id)).toBe(elsewhere.workspaceId);
    await eventually('the notice', async () => {
      const answer = await askChat(gateway, {}, createCaller(replica.origin, token));
      const workspaceId = await recordedIn((await completed(answer)).id);
      return workspaceId === elsewhere.workspaceId ? true : undefined;
    });
  });

  test('takes its usage, its limit and the reservations of in-flight requests along', async () => {
    const { record, token } = await makeKey(manager, { limit: 0.0021 });
    const caller = createCaller(gateway.origin, token);
    const [here, there] = [await spentIn(gateway.workspaceId), await spentIn(elsewhere.workspaceId)];
    const before = gateway.upstream.requests('chat').length;
    gateway.upstream.addFaults({ kind: 'delay', on: 'chat', delayMs: 5_000, times: 1 });
    const flying = askChat(gateway, { max_tokens: 1_000 }, caller);
    await eventually('the request', async () =>
      gateway.upstream.requests('chat').length > before ? true : undefined,
    );
    await move(record.hash);
    // It reserves what the limit has: there is no room for another, here or there.
    expect(await errorOf(await askChat(gateway, { max_tokens: 1_000 }, caller))).toMatchObject({
      code: 402,
      message: 'Key limit exceeded',
    });
    const { id, usage } = await completed(await flying);
    expect(await recordedIn(id)).toBe(gateway.workspaceId);
    const cost = Math.round(usage!.cost! * 1e9);
    expect([await spentIn(gateway.workspaceId), await spentIn(elsewhere.workspaceId)]).toEqual([
      here + cost,
      there,
    ]);
    const after = await readKey(manager, record.hash);
    expect([after.usage, after.usage_daily]).toEqual([usage!.cost, usage!.cost]);
    expect(Math.round(after.limit_remaining! * 1e9)).toBe(2_100_000 - cost);
    const next = await completed(await askChat(gateway, { max_tokens: 10 }, caller));
    expect(await recordedIn(next.id)).toBe(elsewhere.workspaceId);
  });

  test("spends under the new workspace's budget, and no longer the old one's", async () => {
    const { record, token } = await makeKey(manager);
    const caller = createCaller(gateway.origin, token);
    const { workspaceId: poor } = await addWorkspace(gateway);
    await gateway.database.query(
      `insert into workspace_budgets (id, workspace_id, interval, limit_nanos)
       values (gen_random_uuid(), $1, 'daily', 1)`,
      [poor],
    );
    await move(record.hash, poor);
    expect(await errorOf(await askChat(gateway, {}, caller))).toMatchObject({
      code: 402,
      message: 'Workspace budget exceeded',
    });
    await move(record.hash);
    await completed(await askChat(gateway, {}, caller));
  });

  test('keeps its record unchanged when it is there already', async () => {
    const { record } = await makeKey(manager);
    const same = { workspace_id: record.workspace_id };
    expect(await keyOf(await patchKey(manager, record.hash, same))).toEqual(record);
    const renamed = await keyOf(await patchKey(manager, record.hash, { ...same, name: 'New' }));
    expect(renamed).toMatchObject({ workspace_id: record.workspace_id, name: 'New' });
  });

  test('gets the same 404 for foreign and unknown workspaces, and stays unchanged', async () => {
    const { record } = await makeKey(manager);
    const [theirs, nobodys] = await Promise.all(
      [foreign.workspaceId, crypto.randomUUID()].map(async (id) =>
        visibleParts(await patchKey(manager, record.hash, { workspace_id: id, name: 'New' })),
      ),
    );
    expect(theirs).toEqual(nobodys);
    expect(JSON.parse(theirs!.body)).toEqual({
      error: {
        code: 404,
        message: 'Resource not found',
        metadata: {
          reason: 'not_found',
          retryable: false,
          issues: [{ path: 'body.workspace_id', message: 'is no workspace of the organization' }],
        },
      },
    });
    const malformed = await errorOf(await patchKey(manager, record.hash, { workspace_id: 'default' }));
    expect(malformed.code).toBe(400);
    expect(await readKey(manager, record.hash)).toEqual(record);
  });

  test('accepts several moves at once, and ends in one of the workspaces', async () => {
    const { record } = await makeKey(manager);
    const places = [elsewhere.workspaceId, (await addWorkspace(gateway)).workspaceId, gateway.workspaceId];
    const answers = await Promise.all(
      [...places, ...places].map((id) => patchKey(manager, record.hash, { workspace_id: id })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(places).toContain((await readKey(manager, record.hash)).workspace_id);
  });
});

describe('the end user of a key', () => {
  test('owns the usage unless the request names another', async () => {
    const { token } = await makeKey(manager, { external: { user: 'customer-9' } });
    const caller = createCaller(gateway.origin, token);
    const { id: plain } = await completed(await askChat(gateway, {}, caller));
    const { id: named } = await completed(await askChat(gateway, { user: 'customer-10' }, caller));
    const users = await Promise.all(
      [plain, named].map(async (id) => (await ledgerRow(gateway, id)).external_user),
    );
    expect(users).toEqual(['customer-9', 'customer-10']);
  });

  test('ignores an invalid user in a request, which is still answered', async () => {
    const named = ['customer-1 ', '\u0085customer-1', '', '\ufeffcustomer-1', null];
    const ids = await Promise.all(
      named.map(async (user) => (await completed(await askChat(gateway, { user }))).id),
    );
    const users = await Promise.all(ids.map(async (id) => (await ledgerRow(gateway, id)).external_user));
    expect(users).toEqual([null, null, null, '\ufeffcustomer-1', null]);
  });

  test('owns video jobs unless they name another valid user', async () => {
    const { hash, token } = await addKey(gateway, { externalUser: 'customer-11' });
    expect((await readKey(manager, hash)).external_user).toBe('customer-11');
    const caller = createCaller(gateway.origin, token);
    for (const body of [{}, { user: 'customer-12' }, { user: ' customer-13' }]) {
      const answer = await caller.call('POST', '/videos', {
        body: { model: 'local/clip-canned', prompt: 'x', ...body },
      });
      expect(answer.status).toBe(202);
    }
    const { rows } = await gateway.database.query<{ user: string }>(
      `select request_facts->>'user' "user" from video_jobs j join api_keys k on k.id = j.key_id where k.hash = $1
       order by j.created_at`,
      [hash],
    );
    expect(rows.map(({ user }) => user)).toEqual(['customer-11', 'customer-12', 'customer-11']);
  });
});

async function recordedIn(generationId: string): Promise<string> {
  const { rows } = await gateway.database.query<{ workspace_id: string }>(
    'select workspace_id from generations where id = $1',
    [generationId],
  );
  return rows[0]!.workspace_id;
}
