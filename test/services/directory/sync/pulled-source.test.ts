import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { MAX_LOOKUPS } from '../../../../domain/directory/limits.ts';
import { sendJson, somePeople } from '../../../support/scim-source.ts';
import { createSyncScene, type SyncedOrganization, type SyncScene } from '../../../support/sync-scene.ts';
import { int4, text } from '../../../../db/postgres/shape.ts';
import { rowsOf } from '../../../../db/postgres/statement.ts';

let scene: SyncScene;
let organization: SyncedOrganization;

beforeAll(async () => {
  scene = await createSyncScene();
});

beforeEach(async () => {
  const { source } = scene;
  Object.assign(source, {
    people: [],
    groups: [],
    calls: [],
    fault: undefined,
    pageSize: 200,
    canFilter: true,
  });
  source.render = (resource) => resource;
  organization = await scene.newSynced();
  await organization.connect();
});

afterAll(() => scene.close());

/** Reads so many people for the first time. */
async function firstSync(count: number): Promise<void> {
  scene.source.people = somePeople(count);
  const job = await organization.sync();
  expect(job).toMatchObject({ state: 'succeeded', counts: { peopleRead: count, membersAdded: count } });
  expect(await organization.memberNames()).toHaveLength(count);
}

/** Every write of a row, also one that changes nothing, gives it another version. */
async function versionsOfRows(): Promise<{ name: string; rows: number; versions: string }[]> {
  const ofOrganization = `organization_id = '${organization.id}'`;
  const inWorkspaces = `workspace_id in (select id from workspaces where ${ofOrganization})`;
  const tables = [
    ['directory_people', ofOrganization],
    ['directory_groups', ofOrganization],
    ['directory_group_members', `group_id in (select id from directory_groups where ${ofOrganization})`],
    ['organization_members', ofOrganization],
    ['workspace_members', inWorkspaces],
    ['directory_memberships', inWorkspaces],
    ['users', `id in (select user_id from organization_members where ${ofOrganization})`],
  ];
  return rowsOf(
    scene.directory.knex,
    { name: text, rows: int4, versions: text },
    tables
      .map(
        ([name, condition]) =>
          `select '${name}' as name, count(*)::int as rows, string_agg(ctid || ' ' || xmin, ',' order by ctid) as versions
           from ${name} where ${condition}`,
      )
      .join(' union all '),
  );
}

describe('a sync of a pulled source', () => {
  test('makes everyone a member, and people of a mapped group members of its workspace', async () => {
    const { source } = scene;
    const workspaceId = await organization.addWorkspace();
    source.people = somePeople(450);
    source.groups = [{ id: 'g-1', displayName: 'Engineers', members: ['id-3', 'id-4', 'nobody'] }];
    expect(await organization.sync()).toMatchObject({
      state: 'succeeded',
      syncedGroups: 1,
      deletedGroups: 0,
    });
    await organization.mapAll(workspaceId, 'admin');
    source.groups[0]!.members = ['id-3', 'id-5'];
    const job = await organization.sync();
    expect(job).toMatchObject({ state: 'succeeded', warnings: [], counts: { workspaceMembersAdded: 2 } });
    expect(await organization.workspaceMembers(workspaceId)).toEqual([
      'user-3@example.com admin',
      'user-5@example.com admin',
    ]);
    expect(await organization.leftovers()).toBe(0);
  });

  test('removes missing people after the source confirms each by id', async () => {
    await firstSync(60);
    scene.source.people.splice(7, 2);
    scene.source.calls.length = 0;
    const job = await organization.sync();
    expect(job).toMatchObject({ state: 'succeeded', counts: { membersRemoved: 2 } });
    expect(scene.source.calls.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/Users/id-7', '/Users/id-8']),
    );
    const names = await organization.memberNames();
    expect(names).toHaveLength(58);
    expect(names).not.toContain('user-7@example.com');
  });

  test('writes no rows when nothing has changed', async () => {
    const { source } = scene;
    const workspaceId = await organization.addWorkspace();
    source.groups = [{ id: 'g-1', displayName: 'Engineers', members: ['id-3', 'id-4', 'nobody'] }];
    await firstSync(30);
    await organization.mapAll(workspaceId, 'member');
    await organization.sync();
    await organization.addByHand(workspaceId, [...(await organization.members()).keys()].slice(0, 2));
    const before = await versionsOfRows();
    expect(before.map(({ rows }) => rows)).toEqual([30, 1, 3, 30, 2, 2, 30]);
    const job = await organization.sync();
    expect(job).toMatchObject({ state: 'succeeded', progress: { toApply: 0 } });
    expect(await versionsOfRows()).toEqual(before);
  });

  test('removes many non-members at once and looks up only members by id', async () => {
    await firstSync(60);
    await scene.directory.knex.raw(
      `insert into directory_people (id, organization_id, source_id, user_name, email, active, resource)
       select gen_random_uuid(), ?, 'old-' || n, 'old-' || n, 'old-' || n, false, '{}' from generate_series(1, ?) n`,
      [organization.id, MAX_LOOKUPS + 1],
    );
    scene.source.people.splice(7, 1);
    scene.source.calls.length = 0;
    expect(await organization.sync()).toMatchObject({ state: 'succeeded', counts: { membersRemoved: 1 } });
    const asked = scene.source.calls.filter(({ path }) => path.startsWith('/Users/'));
    expect(asked.map(({ path }) => path)).toEqual(['/Users/id-7']);
    const living = await scene.directory
      .knex('directory_people')
      .where({ organization_id: organization.id, deleted_at: null });
    expect(living).toHaveLength(59);
  });

  test('looks up missing people one by one when few are missing, also inactive ones', async () => {
    await firstSync(60);
    scene.source.people[7]!['active'] = false;
    await organization.sync();
    scene.source.people.splice(7, 1);
    scene.source.calls.length = 0;
    await organization.sync();
    expect(scene.source.calls.map(({ path }) => path)).toContain('/Users/id-7');
  });

  test('fails with guard_deletions when more members are missing than it may look up', async () => {
    await firstSync(MAX_LOOKUPS + 100);
    scene.source.people.length = 99;
    scene.source.calls.length = 0;
    expect(await organization.sync()).toMatchObject({ state: 'failed', errorReason: 'guard_deletions' });
    expect(scene.source.calls.filter(({ path }) => path.startsWith('/Users/'))).toEqual([]);
  });

  test('keeps a person missing from the lists but found by id', async () => {
    await firstSync(60);
    const { source } = scene;
    source.fault = (call, response) => {
      if (call.path !== '/Users') return false;
      sendJson(response, 200, { totalResults: 59, Resources: source.people.slice(1) });
      return true;
    };
    expect(await organization.sync()).toMatchObject({ state: 'succeeded', counts: { peopleRead: 59 } });
    expect(await organization.memberNames()).toHaveLength(60);
  });

  test('removes nobody when the look-up by id fails', async () => {
    await firstSync(60);
    const { source } = scene;
    source.people.pop();
    source.fault = (call, response) => {
      if (!call.path.startsWith('/Users/')) return false;
      sendJson(response, 500, {});
      return true;
    };
    expect(await organization.sync()).toMatchObject({ state: 'failed', errorReason: 'source_unavailable' });
    expect(await organization.memberNames()).toHaveLength(60);
    expect(await organization.leftovers()).toBe(0);
  });
});
