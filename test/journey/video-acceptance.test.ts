import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createApiKeyStore } from '../../db/accounts/api-key-store.ts';
import { createDatabase, type Database } from '../support/open-database.ts';
import { removeWorkspace } from '../../services/remove-workspace.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { keyOf, type MadeKey, makeKey, patchKey } from '../support/keys.ts';
import { type Replica, startDeafReplica } from '../support/replica.ts';
import { makeWorkspace } from '../support/workspaces.ts';
import { openTransaction } from '../support/handles.ts';

let gateway: Gateway;
let deaf: Replica;
let database: Database;
let manager: Caller;

beforeAll(async () => {
  gateway = await startGateway();
  deaf = await startDeafReplica(gateway);
  database = createDatabase({ url: gateway.config.database.url, poolMax: 1 });
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(async () => {
  await database.close();
  await deaf.close();
  await gateway.close();
});

/** What is accepted by one statement, and what is weighed in a transaction. */
const WAYS: [name: string, headers: Record<string, string>][] = [
  ['a plain job', {}],
  ['a job with an Idempotency-Key', { 'idempotency-key': 'one' }],
];

let workspaces = 0;

async function placeWithKey(): Promise<MadeKey & { workspaceId: string }> {
  workspaces += 1;
  const { id: workspaceId } = await makeWorkspace(manager, `place-${workspaces}`);
  return { workspaceId, ...(await makeKey(manager, { workspace_id: workspaceId })) };
}

/** By a replica that has verified the key before. */
async function submitterOf({ token }: MadeKey, origin: string): Promise<Caller> {
  const caller = createCaller(origin, token);
  expect((await caller.call('GET', '/videos/models')).status).toBe(200);
  return caller;
}

/** Replaces each value: these tests repeat no request. */
function post(caller: Caller, headers: Record<string, string> = {}): Promise<Response> {
  const own = Object.fromEntries(Object.entries(headers).map(([name]) => [name, crypto.randomUUID()]));
  return send(caller, own);
}

function send(caller: Caller, own: Record<string, string>): Promise<Response> {
  return caller.call('POST', '/videos', { body: { model: 'local/clip-canned', prompt: 'x' }, headers: own });
}

async function workspacesOfJobs({ record }: MadeKey): Promise<string[]> {
  const { rows } = await gateway.database.query<{ workspace_id: string }>(
    'select workspace_id from video_jobs where key_id = $1',
    [record.id],
  );
  return rows.map(({ workspace_id: workspaceId }) => workspaceId);
}

async function somebodyWaits(): Promise<void> {
  const look = async (): Promise<true | undefined> => {
    const { rowCount } = await gateway.database.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rowCount === 0 ? undefined : true;
  };
  await eventually('the job waiting', look, 15_000);
}

describe.each(WAYS)('%s', (_, headers) => {
  test('waits for the deletion of its workspace, then gets 401', async () => {
    const key = await placeWithKey();
    const caller = await submitterOf(key, gateway.origin);
    const { organizationId } = gateway;
    const deletion = await openTransaction(database.knex);
    let posted: Promise<Response>;
    try {
      await createApiKeyStore(deletion.handle).setDisabled(organizationId, key.record.hash, true);
      await removeWorkspace(deletion.handle, { organizationId }, key.workspaceId);
      posted = post(caller, headers);
      await somebodyWaits();
    } finally {
      await deletion.commit();
    }
    const answer = await posted;
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(await errorOf(answer)).toMatchObject({ code: 401 });
    expect(await workspacesOfJobs(key)).toEqual([]);
  });

  test('gets 401 for a disabled key on a replica that missed the notice', async () => {
    const key = await placeWithKey();
    const caller = await submitterOf(key, deaf.origin);
    await keyOf(await patchKey(manager, key.record.hash, { disabled: true }));
    expect(await errorOf(await post(caller, headers))).toMatchObject({ code: 401 });
    expect(await workspacesOfJobs(key)).toEqual([]);
  });

  test('belongs to the workspace that the key moved to', async () => {
    const [key, there] = [await placeWithKey(), await placeWithKey()];
    const caller = await submitterOf(key, deaf.origin);
    await keyOf(await patchKey(manager, key.record.hash, { workspace_id: there.workspaceId }));
    expect((await post(caller, headers)).status).toBe(202);
    expect(await workspacesOfJobs(key)).toEqual([there.workspaceId]);
  });

  test('counts against the budget of the workspace that the key moved to', async () => {
    const [key, poor] = [await placeWithKey(), await placeWithKey()];
    const budget = await manager.call('PUT', `/workspaces/${poor.workspaceId}/budgets/daily`, {
      body: { limit_usd: 1e-9 },
    });
    expect(budget.status).toBe(200);
    const caller = await submitterOf(key, deaf.origin);
    await keyOf(await patchKey(manager, key.record.hash, { workspace_id: poor.workspaceId }));
    expect(await errorOf(await post(caller, headers))).toMatchObject({
      code: 402,
      message: 'Workspace budget exceeded',
    });

    const mover = await submitterOf(poor, deaf.origin);
    await keyOf(await patchKey(manager, poor.record.hash, { workspace_id: key.workspaceId }));
    expect((await post(mover, headers)).status).toBe(202);
    expect(await workspacesOfJobs(poor)).toEqual([key.workspaceId]);
  });

  test('succeeds only if the simultaneous deletion of its workspace is refused', async () => {
    for (let round = 0; round < 8; round += 1) {
      const key = await placeWithKey();
      const caller = await submitterOf(key, deaf.origin);
      const remove = async (): Promise<Response> => {
        await keyOf(await patchKey(manager, key.record.hash, { disabled: true }));
        return manager.call('DELETE', `/workspaces/${key.workspaceId}`);
      };
      const [posted, removed] = await Promise.all([post(caller, headers), remove()]);
      expect([
        [202, 400],
        [401, 200],
      ]).toContainEqual([posted.status, removed.status]);
    }
  });
});

describe('a repeated job with an Idempotency-Key, after its key has moved', () => {
  const headers = { 'idempotency-key': 'moved' };

  async function idOf(response: Response): Promise<{ id: string; replayed: boolean }> {
    expect(response.status).toBe(202);
    const { id } = (await response.json()) as { id: string };
    return { id, replayed: response.headers.get('idempotent-replayed') === 'true' };
  }

  test('creates a new job there, and returns the first one when the key is back', async () => {
    const [key, there] = [await placeWithKey(), await placeWithKey()];
    const caller = createCaller(gateway.origin, key.token);
    const first = await idOf(await send(caller, headers));
    await keyOf(await patchKey(manager, key.record.hash, { workspace_id: there.workspaceId }));
    const second = await idOf(await send(caller, headers));
    expect(second).toEqual({ id: expect.not.stringMatching(first.id), replayed: false });
    await keyOf(await patchKey(manager, key.record.hash, { workspace_id: key.workspaceId }));
    expect(await idOf(await send(caller, headers))).toEqual({ id: first.id, replayed: true });
  });

  test("returns the new workspace's answer on a replica that missed the move", async () => {
    const [key, there] = [await placeWithKey(), await placeWithKey()];
    const caller = await submitterOf(key, deaf.origin);
    await keyOf(await patchKey(manager, key.record.hash, { workspace_id: there.workspaceId }));
    const first = await idOf(await send(createCaller(gateway.origin, key.token), headers));
    expect(await idOf(await send(caller, headers))).toEqual({ id: first.id, replayed: true });
    expect(await workspacesOfJobs(key)).toEqual([there.workspaceId]);
  });

  test("returns its answer after the new workspace's budget is spent", async () => {
    const [key, there] = [await placeWithKey(), await placeWithKey()];
    const caller = await submitterOf(key, deaf.origin);
    await keyOf(await patchKey(manager, key.record.hash, { workspace_id: there.workspaceId }));
    const first = await idOf(await send(createCaller(gateway.origin, key.token), headers));
    const path = `/workspaces/${there.workspaceId}/budgets/daily`;
    expect((await manager.call('PUT', path, { body: { limit_usd: 1e-9 } })).status).toBe(200);
    expect(await idOf(await send(caller, headers))).toEqual({ id: first.id, replayed: true });
  });

  test('leaves the Idempotency-Key free for keys of the old workspace', async () => {
    const [key, there] = [await placeWithKey(), await placeWithKey()];
    const caller = await submitterOf(key, deaf.origin);
    await keyOf(await patchKey(manager, key.record.hash, { workspace_id: there.workspaceId }));
    const moved = await idOf(await send(caller, headers));
    const { token } = await makeKey(manager, { workspace_id: key.workspaceId });
    const left = await idOf(await send(createCaller(gateway.origin, token), headers));
    expect(left).toEqual({ id: expect.not.stringMatching(moved.id), replayed: false });
  });
});

describe('a job whose client header is longer than the stored part', () => {
  const long = Buffer.from(`${'a'.repeat(511)}🚀`).toString('latin1');

  test.each(['x-openrouter-title', 'http-referer', 'user-agent', 'x-openrouter-categories'])(
    'succeeds when %s is cut within an emoji',
    async (header) => {
      const caller = createCaller(gateway.origin, gateway.apiKey);
      const response = await send(caller, { [header]: long });
      await response.arrayBuffer();
      expect(response.status).toBe(202);
    },
  );
});
