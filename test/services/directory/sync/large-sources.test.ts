import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rowsOf } from '../../../../db/connection.ts';
import { MAX_GROUPS, MAX_PEOPLE } from '../../../../domain/directory/limits.ts';
import { sendJson, somePeople } from '../../../support/scim-source.ts';
import { createSyncScene, type SyncedOrganization, type SyncScene } from '../../../support/sync-scene.ts';

let scene: SyncScene;
let organization: SyncedOrganization;

beforeAll(async () => {
  scene = await createSyncScene();
});

beforeEach(async () => {
  const { source } = scene;
  Object.assign(source, { groups: [], fault: undefined, pageSize: 1_000 });
  organization = await scene.newSynced();
  await organization.connect();
});

afterAll(() => scene.close());

describe('a source that says it has more than a run reads', () => {
  test.each([
    ['people', '/Users', MAX_PEOPLE],
    ['groups', '/Groups', MAX_GROUPS],
  ])('fails the job at the first page of %s, and nobody goes', async (_kind, path, limit) => {
    const { source } = scene;
    source.people = somePeople(3);
    await organization.sync();
    let pages = 0;
    source.fault = (call, response) => {
      if (call.path !== path) return false;
      pages += 1;
      sendJson(response, 200, { totalResults: limit + 1, Resources: [] });
      return true;
    };
    expect(await organization.sync()).toMatchObject({ state: 'failed', errorReason: 'source_too_large' });
    expect(pages).toBe(1);
    expect(await organization.memberNames()).toHaveLength(3);
    expect(await organization.leftovers()).toBe(0);
  });
});

test('a group of 100,000 members, 5,000 of them known, is read and mapped', async () => {
  const { source, directory } = scene;
  source.people = somePeople(5_000);
  const members = [
    ...source.people.map(({ id }) => id),
    ...Array.from({ length: 95_000 }, (_, n) => `unknown-${n}`),
  ];
  source.groups = [{ id: 'g', displayName: 'Everyone', members }];
  expect(await organization.sync()).toMatchObject({ state: 'succeeded', syncedGroups: 1 });
  const workspaceId = await organization.addWorkspace();
  await organization.mapAll(workspaceId, 'member');
  expect(await organization.sync()).toMatchObject({
    state: 'succeeded',
    counts: { workspaceMembersAdded: 5_000 },
  });
  const [stored] = await rowsOf<{ members: number; known: number }>(
    directory.knex,
    `select count(*)::int members, count(m.person_id)::int known
     from directory_groups g join directory_group_members m on m.group_id = g.id where g.organization_id = ?`,
    [organization.id],
  );
  expect(stored).toEqual({ members: 100_000, known: 5_000 });
  expect(await organization.workspaceMembers(workspaceId)).toHaveLength(5_000);
});
