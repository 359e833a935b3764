import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import { makeMapping, userOf as userOfPerson } from '../support/directory.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { statusOf } from '../support/keys.ts';
import { createScimClient, makeScimToken, userOf } from '../support/scim.ts';
import { makeWorkspace } from '../support/workspaces.ts';

const TOKEN = 'a-secret-of-the-source-x9Qz';
const BASE_URL = 'http://127.0.0.1:9/scim/v2';

let gateway: Gateway;
let manager: Caller;

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(() => gateway.close());

interface Source {
  [field: string]: unknown;
}

async function put(body: object): Promise<Source> {
  const response = await manager.call('PUT', '/scim/source', { body });
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status: 200 });
  expect(text).not.toContain(TOKEN);
  return (JSON.parse(text) as { data: Source }).data;
}

async function get(): Promise<Source> {
  return ((await (await manager.call('GET', '/scim/source')).json()) as { data: Source }).data;
}

/** The members of the organization and of a workspace. */
async function everyone(workspaceId: string): Promise<{ organization: unknown[]; workspace: unknown[] }> {
  const read = async (path: string): Promise<unknown[]> =>
    ((await (await manager.call('GET', path)).json()) as { data: unknown[] }).data;
  return {
    organization: await read('/organization/members'),
    workspace: await read(`/workspaces/${workspaceId}/members`),
  };
}

const pulled = { type: 'scim', base_url: BASE_URL, token: TOKEN };

describe('the source of the directory', () => {
  test('has the type "pushed" by default', async () => {
    expect(await get()).toEqual({
      type: 'pushed',
      base_url: null,
      token_hint: null,
      interval_minutes: null,
      scim_disable_keys: 'all',
      next_sync_at: null,
      last_full_sync_at: null,
      last_sync_job: null,
      managed_people: 0,
      held_removals: { count: 0, since: null },
      updated_at: null,
    });
    expect((await manager.call('DELETE', '/scim/source')).status).toBe(404);
  });

  test('shows the last four characters of its token, which is stored encrypted', async () => {
    const source = await put({ ...pulled, base_url: `${BASE_URL}/` });
    expect(source).toMatchObject({
      type: 'scim',
      base_url: BASE_URL,
      token_hint: 'x9Qz',
      interval_minutes: 60,
      scim_disable_keys: 'all',
    });
    const { rows } = await gateway.database.query('select * from scim_sources');
    expect(JSON.stringify(rows)).not.toContain(TOKEN);
  });

  test('schedules a sync at once after a change', async () => {
    await put(pulled);
    const { rows } = await gateway.database.query('select next_sync_at <= now() is_due from scim_sources');
    expect(rows).toEqual([{ is_due: true }]);
  });

  test('keeps its token while the origin of its address stays the same', async () => {
    await put(pulled);
    const { token: _, ...others } = pulled;
    const moved = await put({ ...others, base_url: 'http://127.0.0.1:9/elsewhere', interval_minutes: 5 });
    expect(moved).toMatchObject({ token_hint: 'x9Qz', interval_minutes: 5 });
    const response = await manager.call('PUT', '/scim/source', {
      body: { ...others, base_url: 'http://127.0.0.1:10/scim/v2' },
    });
    expect(response.status).toBe(400);
    expect((await errorOf(response)).metadata.issues).toMatchObject([{ path: 'body.token' }]);
  });

  test.each([
    ['a private address', 'http://10.0.0.1/scim'],
    ['a user name', 'http://user:secret@127.0.0.1:9/scim'],
    ['a query', 'http://127.0.0.1:9/scim?x=1'],
    ['a fragment', 'http://127.0.0.1:9/scim#x'],
  ])('answers 400 to %s in its address', async (_what, baseUrl) => {
    const response = await manager.call('PUT', '/scim/source', { body: { ...pulled, base_url: baseUrl } });
    expect(response.status).toBe(400);
    expect((await errorOf(response)).metadata.issues).toMatchObject([{ path: 'body.base_url' }]);
  });

  test.each([4, 1_441, 7.5])('answers 400 to an interval of %p minutes', async (minutes) => {
    const body = { ...pulled, interval_minutes: minutes };
    expect((await manager.call('PUT', '/scim/source', { body })).status).toBe(400);
  });

  test('loses its last full sync when the server changes, and only then', async () => {
    await put(pulled);
    await gateway.database.query('update scim_sources set full_sync_at = now(), changed_since = now()');
    expect((await put({ ...pulled, interval_minutes: 30 }))['last_full_sync_at']).not.toBeNull();
    const other = await put({ ...pulled, base_url: 'http://127.0.0.1:9/other' });
    expect(other['last_full_sync_at']).toBeNull();
  });

  test('removes nobody when it changes or is deleted, and leaves audit entries', async () => {
    await put({ type: 'pushed' });
    const client = createScimClient(gateway, (await makeScimToken(gateway)).token);
    const members = [];
    for (let n = 0; n < 3; n += 1)
      members.push({ value: (await client.call('POST', '/Users', userOf())).body.id });
    const { body: group } = await client.call('POST', '/Groups', { displayName: 'Team', members });
    const { id: workspaceId } = await makeWorkspace(manager, 'team');
    await makeMapping(manager, group.id, workspaceId, 'admin');
    const key = await addKey(gateway, { creatorUserId: await userOfPerson(gateway, members[0]!.value) });
    const before = await everyone(workspaceId);
    expect([before.organization.length, before.workspace.length]).toEqual([4, 3]);
    const unchanged = async (): Promise<void> => {
      expect(await everyone(workspaceId)).toEqual(before);
      expect(await statusOf(gateway, key.token)).toBe(200);
    };

    await put(pulled);
    await unchanged();
    await put({ type: 'pushed', scim_disable_keys: 'identified' });
    expect(await get()).toMatchObject({ type: 'pushed', token_hint: null, scim_disable_keys: 'identified' });
    await unchanged();
    expect(await (await manager.call('DELETE', '/scim/source')).json()).toEqual({ deleted: true });
    expect(await get()).toMatchObject({ type: 'pushed', updated_at: null, managed_people: 3 });
    await unchanged();
    const actions = (await auditRows(gateway, 'scim/source')).map(({ action }) => action);
    expect(actions.slice(-3)).toEqual(['setScimSource', 'setScimSource', 'deleteScimSource']);
  });
});

describe('a sync job', () => {
  test('serves repeated requests of its kind, and another kind gets 409 sync_running', async () => {
    const first = await manager.call('POST', '/scim/sync-jobs');
    expect(first.status).toBe(202);
    const { data } = (await first.json()) as { data: { id: string } };
    expect(data).toMatchObject({
      status: 'queued',
      started_at: null,
      finished_at: null,
      synced_groups: null,
      deleted_groups: null,
      error_message: null,
    });
    const again = (await (await manager.call('POST', '/scim/sync-jobs')).json()) as { data: { id: string } };
    expect(again.data.id).toBe(data.id);
    const refused = await manager.call('POST', '/scim/sync-jobs?dry_run=true');
    expect(refused.status).toBe(409);
    expect((await errorOf(refused)).metadata.reason).toBe('sync_running');
    expect((await manager.call('POST', '/scim/sync-jobs?allow_deletions=true')).status).toBe(409);
    expect(await (await manager.call('GET', '/scim/sync-jobs')).json()).toMatchObject({
      data: [{ id: data.id }],
      total_count: 1,
    });
  });

  test('answers another organization with the 404 of unknown and malformed ids', async () => {
    const { rows } = await gateway.database.query<{ id: string }>('select id from directory_jobs');
    const place = await addOrganization(gateway);
    const { token } = await addKey(gateway, { ...place, kind: 'management' });
    const stranger = createCaller(gateway.origin, token);
    for (const path of ['', '/changes']) {
      const answers = [];
      for (const id of [rows[0]!.id, '00000000-0000-4000-8000-000000000000', 'nonsense'])
        answers.push(await visibleParts(await stranger.call('GET', `/scim/sync-jobs/${id}${path}`)));
      expect(answers[0]).toMatchObject({ status: 404 });
      expect(answers[1]).toEqual(answers[0]);
      expect(answers[2]).toEqual(answers[0]);
    }
  });
});
