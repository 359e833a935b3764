import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  createDirectoryScene,
  type DirectoryOrganization,
  type DirectoryScene,
} from '../../support/directory-scene.ts';

let scene: DirectoryScene;
let organization: DirectoryOrganization;

beforeAll(async () => {
  scene = await createDirectoryScene();
});

afterAll(() => scene.close());

beforeEach(async () => {
  organization = await scene.newOrganization();
});

describe('an active person', () => {
  test('becomes a new member of the organization', async () => {
    const id = await organization.addPerson({ userName: 'ada', givenName: 'Ada', familyName: 'L' });
    const { counts } = await organization.apply([id]);
    const userId = (await organization.userOf(id))!;
    expect(await organization.members()).toEqual(new Map([[userId, 'org:member']]));
    expect(counts).toMatchObject({ membersAdded: 1, membersRemoved: 0 });
    expect(await scene.knex('users').where({ id: userId }).first()).toMatchObject({
      email: 'ada@example.com',
      first_name: 'Ada',
      last_name: 'L',
    });
  });

  test('loses all when they are made inactive', async () => {
    const workspaceId = await organization.addWorkspace();
    const id = await organization.addPerson({ userName: 'ada' });
    await organization.addGroup([id], [[workspaceId, 'admin']]);
    await organization.apply([id]);
    const userId = (await organization.userOf(id))!;
    const key = await organization.addKey({ workspaceId, creatorUserId: userId });
    await organization.change(id, { active: false });
    const { counts } = await organization.apply([id]);
    expect(counts).toMatchObject({ membersRemoved: 1, workspaceMembersRemoved: 1, keysDisabled: 1 });
    expect(await organization.members()).toEqual(new Map());
    expect(await organization.enabledKeys()).toEqual([]);
    expect((await organization.lines()).at(-1)).toMatchObject({
      kind: 'key',
      key_hash: key,
      to_value: 'disabled',
    });
  });
});
