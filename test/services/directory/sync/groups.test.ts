import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sendJson } from '../../../support/scim-source.ts';
import { createSyncScene, type SyncedOrganization, type SyncScene } from '../../../support/sync-scene.ts';

let scene: SyncScene;
let organization: SyncedOrganization;

beforeAll(async () => {
  scene = await createSyncScene();
});

beforeEach(async () => {
  organization = await scene.newRead(30);
});

afterAll(() => scene.close());

describe('a deleted mapping', () => {
  /** Gives all people a workspace by a group, and deletes the mapping. What follows is left to a run. */
  async function deleteMapping(): Promise<void> {
    const workspaceId = await organization.addWorkspace();
    scene.source.groups = [{ id: 'g', displayName: 'All', members: scene.source.people.map(({ id }) => id) }];
    await organization.sync();
    await organization.mapAll(workspaceId, 'member');
    await organization.sync();
    expect(await organization.workspaceMembers(workspaceId)).toHaveLength(30);
    await scene.directory.knex('directory_mappings').where({ workspace_id: workspaceId }).delete();
    await scene.directory
      .knex('directory_people')
      .where({ organization_id: organization.id })
      .update({ pending: 'free' });
  }

  test('removes 30 members unguarded in a run that reads the source', async () => {
    await deleteMapping();
    expect(await organization.sync()).toMatchObject({
      state: 'succeeded',
      counts: { workspaceMembersRemoved: 30 },
    });
  });

  test('removes 30 members unguarded in a run that applies pushes', async () => {
    await deleteMapping();
    expect(await organization.sync({ source: 'pushed' })).toMatchObject({
      state: 'succeeded',
      counts: { workspaceMembersRemoved: 30 },
    });
  });

  test('lets the guard stop a run in which 11 people leave', async () => {
    await deleteMapping();
    scene.source.people.splice(0, 11);
    expect(await organization.sync()).toMatchObject({ state: 'failed', errorReason: 'guard_deletions' });
  });
});

describe('groups of a source', () => {
  test('load 20,000 members in one read and write only what changed', async () => {
    const { source } = scene;
    const workspaceId = await organization.addWorkspace();
    const members = [
      ...source.people.map(({ id }) => id),
      ...Array.from({ length: 20_000 }, (_, n) => `u-${n}`),
    ];
    source.groups = [{ id: 'g', displayName: 'All', members }];
    await organization.sync();
    await organization.mapAll(workspaceId, 'member');
    await organization.sync();
    expect(await organization.workspaceMembers(workspaceId)).toHaveLength(30);
    source.groups[0]!.members = members.slice(1);
    expect(await organization.sync()).toMatchObject({
      state: 'succeeded',
      counts: { workspaceMembersRemoved: 1 },
      progress: { toApply: 1 },
    });
  });

  test('get a new version when members change, and keep it otherwise', async () => {
    const { source } = scene;
    const { knex } = scene.directory;
    const read = async () => {
      const columns = ['version', 'members', 'updated_at'] as const;
      const [row] = await knex('directory_groups')
        .where({ organization_id: organization.id })
        .select(columns);
      return { ...row, version: Number(row.version) };
    };
    source.groups = [{ id: 'g', displayName: 'All', members: ['id-1', 'id-2'] }];
    await organization.sync();
    for (const members of [['id-1'], ['id-1', 'nobody'], ['id-1']]) {
      await knex('directory_groups').where({ organization_id: organization.id }).update({ members: 7 });
      const before = await read();
      source.groups[0]!.members = members;
      const run = await organization.planSync();
      const planned = await read();
      await organization.applySync(run);
      const after = await read();
      expect(planned.version).toBeGreaterThan(before.version);
      expect(after.version).toBeGreaterThan(planned.version);
      expect(after.members).toBeNull();
      expect(after.updated_at.getTime()).toBeGreaterThan(before.updated_at.getTime());
    }
    const last = await read();
    await organization.sync();
    expect(await read()).toEqual(last);
  });

  test('load one by one when lists omit their members', async () => {
    const { source } = scene;
    const group = { id: 'g', displayName: 'All', members: [{ value: 'id-1' }, { value: 'id-2' }] };
    source.fault = (call, response) => {
      if (!call.path.startsWith('/Groups')) return false;
      const { members: _, ...head } = group;
      if (call.path === '/Groups/g') sendJson(response, 200, group);
      else sendJson(response, 200, { totalResults: 1, Resources: [head] });
      return true;
    };
    await organization.sync();
    const rows = await scene.directory
      .knex('directory_group_members as m')
      .join('directory_groups as g', 'g.id', 'm.group_id')
      .where('g.organization_id', organization.id);
    expect(rows).toHaveLength(2);
  });

  test('keep their members when a new server lists them by name only', async () => {
    const { source } = scene;
    source.groups = [{ id: 'g', displayName: 'All', members: ['id-1', 'id-2'] }];
    await organization.sync();
    await organization.connect(source.baseUrl.replace('v2', 'v3'));
    source.groups[0]!.id = 'new';
    source.fault = (call, response) => {
      if (call.path !== '/Groups') return false;
      const listed = call.query.has('filter') ? [{ id: 'new', displayName: 'All' }] : [];
      sendJson(response, 200, { totalResults: listed.length, Resources: listed });
      return true;
    };
    expect(await organization.sync()).toMatchObject({ state: 'succeeded', deletedGroups: 0 });
    const rows = await scene.directory
      .knex('directory_group_members as m')
      .join('directory_groups as g', 'g.id', 'm.group_id')
      .where('g.organization_id', organization.id);
    expect(rows).toHaveLength(2);
  });

  test('count as deleted in a run that resumes without another read', async () => {
    const { source } = scene;
    source.groups = [{ id: 'g', displayName: 'All', members: ['id-1', 'id-2'] }];
    await organization.sync();
    source.groups = [];
    const { jobId } = await organization.planSync();
    source.calls.length = 0;
    expect(await organization.goOn(jobId)).toMatchObject({ state: 'succeeded', deletedGroups: 1 });
    expect(source.calls).toEqual([]);
  });

  test('take their mappings and memberships along when they are deleted', async () => {
    const { source } = scene;
    const workspaceId = await organization.addWorkspace();
    source.groups = [{ id: 'g', displayName: 'All', members: ['id-1', 'id-2'] }];
    await organization.sync();
    await organization.mapAll(workspaceId, 'member');
    await organization.sync();
    source.groups = [];
    const [mapping] = await scene.directory.knex('directory_mappings').where({ workspace_id: workspaceId });
    const warning = {
      reason: 'mappings_deleted',
      message: 'The source has deleted groups that were mapped: All. Their mappings are deleted: 1.',
    };
    expect(await organization.sync()).toMatchObject({
      state: 'succeeded',
      deletedGroups: 1,
      warnings: [warning],
    });
    expect(await organization.audited()).toContain(
      `deleteScimGroupMapping scim/group-mappings/${mapping.id}`,
    );
    expect(await organization.workspaceMembers(workspaceId)).toEqual([]);
    expect(await scene.directory.knex('directory_mappings').where({ workspace_id: workspaceId })).toEqual([]);
  });
});
