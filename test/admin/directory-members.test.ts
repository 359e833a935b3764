import { describe, expect, test } from '@jest/globals';
import { runMembers } from '../../admin/members.ts';
import {
  type DirectoryOrganization,
  type DirectoryScene,
  useFreshOrganization,
} from '../support/directory-scene.ts';

let scene: DirectoryScene;
let organization: DirectoryOrganization;

// The commands act on the first organization, so each test has a database of its own.
useFreshOrganization((...opened) => ([scene, organization] = opened));

async function addMember(userName: string): Promise<{ personId: string; userId: string }> {
  const personId = await organization.addPerson({ userName });
  await organization.apply([personId]);
  return { personId, userId: (await organization.userOf(personId))! };
}

describe('an organization with two administrators', () => {
  test.each([
    ['demoted', (user: string) => ['role', user, 'member']],
    ['removed', (user: string) => ['remove', user]],
  ])('keeps one when both are %s at once', async (_, command) => {
    const users = [
      await organization.addMember('a@example.com', 'org:admin'),
      await organization.addMember('b@example.com', 'org:admin'),
    ];
    const outcomes = await Promise.allSettled(users.map((user) => runMembers(scene.knex, command(user))));
    const refused = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(refused.map(({ reason }) => (reason as Error).message)).toEqual([
      expect.stringContaining('is the only administrator of the organization'),
    ]);
    expect([...(await organization.members()).values()].filter((role) => role === 'org:admin')).toHaveLength(
      1,
    );
  });

  test('keeps one when an operator and the directory remove them at once', async () => {
    const root = await organization.addMember('root@example.com', 'org:admin');
    const ada = await organization.addMember('ada@example.com', 'org:admin');
    const personId = await organization.addPerson({ userName: 'ada', active: false });
    await Promise.allSettled([runMembers(scene.knex, ['remove', root]), organization.apply([personId])]);
    const left = [...(await organization.members())];
    expect(left).toHaveLength(1);
    expect([root, ada]).toContain(left[0]?.[0]);
  });
});

describe('an operator', () => {
  test('cannot remove a member active in the directory, and reads about --from-directory', async () => {
    await organization.addMember('root@example.com', 'org:admin');
    const ada = await addMember('ada');
    const refused = runMembers(scene.knex, ['remove', ada.userId]);
    await expect(refused).rejects.toThrow(/by its directory.*members remove user_\w+ --from-directory/);
    expect((await organization.members()).has(ada.userId)).toBe(true);
  });

  test('can remove an inactive former last administrator with their workspace memberships', async () => {
    const workspaceId = await organization.addWorkspace();
    const root = await addMember('root');
    await organization.addGroup([root.personId], [[workspaceId, 'member']]);
    await organization.apply([root.personId]);
    await runMembers(scene.knex, ['role', root.userId, 'admin']);
    await organization.change(root.personId, { active: false });
    expect((await organization.apply([root.personId])).warnings).toHaveLength(1);
    expect((await organization.shown(workspaceId)).has(root.userId)).toBe(true);
    const next = await organization.addMember('next@example.com', 'org:admin');
    await runMembers(scene.knex, ['remove', root.userId]);
    expect([...(await organization.members()).keys()]).toEqual([next]);
    expect(await organization.shown(workspaceId)).toEqual(new Map());
  });

  test('removes a person with --from-directory, who returns when the directory sends them', async () => {
    await organization.addMember('root@example.com', 'org:admin');
    const ada = await addMember('ada');
    const group = await organization.addGroup([ada.personId]);
    const printed = await runMembers(scene.knex, ['remove', ada.userId, '--from-directory']);
    expect(printed).toContain('is no longer a member');
    expect((await organization.members()).has(ada.userId)).toBe(false);
    expect(await scene.knex('directory_group_members').where({ group_id: group })).toEqual([]);
    expect((await organization.audited()).slice(-2)).toEqual([
      `deleteProvisionedUser scim/v2/Users/${ada.personId}`,
      `removeOrganizationMember organization/members/${ada.userId}`,
    ]);
    await organization.apply([ada.personId]);
    expect((await organization.members()).has(ada.userId)).toBe(false);
    await organization.change(ada.personId, { deleted_at: null });
    await organization.apply([ada.personId]);
    expect((await organization.members()).has(ada.userId)).toBe(true);
  });

  test('cannot remove the last administrator with --from-directory', async () => {
    const ada = await addMember('ada');
    await runMembers(scene.knex, ['role', ada.userId, 'admin']);
    const refused = runMembers(scene.knex, ['remove', ada.userId, '--from-directory']);
    await expect(refused).rejects.toThrow('is the only administrator');
    expect(await scene.knex('directory_people').whereNull('deleted_at')).toHaveLength(1);
  });
});
