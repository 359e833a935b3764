import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { somePeople } from '../support/scim-source.ts';
import { createSyncScene, type SyncedOrganization, type SyncScene } from '../support/sync-scene.ts';
import { int4 } from '../../db/postgres/shape.ts';
import { rowsOf } from '../../db/postgres/statement.ts';

let scene: SyncScene;
let organization: SyncedOrganization;

beforeAll(async () => {
  scene = await createSyncScene();
  scene.source.pageSize = 1_000;
  organization = await scene.newSynced();
  await organization.connect();
});

afterAll(() => scene.close());

test('a sync reads and maps a group of 100,000 members, 5,000 of them known', async () => {
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
  const [stored] = await rowsOf(
    directory.knex,
    { members: int4, known: int4 },
    `select count(*)::int members, count(m.person_id)::int known
     from directory_groups g join directory_group_members m on m.group_id = g.id where g.organization_id = :id`,
    { id: organization.id },
  );
  expect(stored).toEqual({ members: 100_000, known: 5_000 });
  expect(await organization.workspaceMembers(workspaceId)).toHaveLength(5_000);
});
