import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { somePeople } from '../../../support/scim-source.ts';
import { createSyncScene, type SyncedOrganization, type SyncScene } from '../../../support/sync-scene.ts';

let scene: SyncScene;
let organization: SyncedOrganization;

beforeAll(async () => {
  scene = await createSyncScene();
});

beforeEach(async () => {
  organization = await scene.newSynced();
  await organization.connect();
  scene.source.people = somePeople(30);
  await organization.sync();
});

afterAll(() => scene.close());

test('a sync of changes removes deactivated people with keys, and no unread ones', async () => {
  const { people } = scene.source;
  const [userId] = [...(await organization.members()).keys()];
  const { email } = await scene.directory.knex('users').where({ id: userId }).first();
  const key = await organization.addKey({
    workspaceId: organization.defaultWorkspaceId,
    creatorUserId: userId!,
  });
  const leaver = people.find(({ userName }) => userName === email)!;
  Object.assign(leaver, { active: false, meta: { lastModified: new Date().toISOString() } });
  const gone = people.findIndex((person) => person !== leaver);
  people.splice(gone, 1);
  const job = await organization.sync({ trigger: 'schedule', isFull: false });
  expect(job).toMatchObject({
    state: 'succeeded',
    isFull: false,
    counts: { peopleRead: 1, membersRemoved: 1, keysDisabled: 1 },
  });
  const names = await organization.memberNames();
  expect(names).toHaveLength(29);
  expect(names).not.toContain(email);
  expect(await organization.enabledKeys()).not.toContain(key);
});
