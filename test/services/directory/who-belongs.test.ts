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

const memberIds = async (): Promise<string[]> => [...(await organization.members()).keys()].toSorted();

describe('an active person', () => {
  test('becomes a new member of the organization, never an administrator', async () => {
    const workspaceId = await organization.addWorkspace();
    const id = await organization.addPerson({ userName: 'ada', givenName: 'Ada', familyName: 'Lovelace' });
    await organization.addGroup([id], [[workspaceId, 'admin']]);
    const { counts } = await organization.apply([id]);
    const userId = (await organization.userOf(id))!;
    expect(userId).toMatch(/^user_[0-9A-Za-z]{24}$/);
    expect(await organization.members()).toEqual(new Map([[userId, 'org:member']]));
    expect(counts).toMatchObject({ membersAdded: 1, workspaceMembersAdded: 1, membersRemoved: 0 });
    expect(await scene.knex('users').where({ id: userId }).first()).toMatchObject({
      email: 'ada@example.com',
      first_name: 'Ada',
      last_name: 'Lovelace',
    });
  });

  test('maps to the member with the address in any case and keeps the role', async () => {
    const admin = await organization.addMember('Ada@Example.com', 'org:admin');
    const id = await organization.addPerson({ userName: 'a', email: 'aDA@eXample.COM' });
    await organization.apply([id]);
    expect(await organization.userOf(id)).toBe(admin);
    expect(await organization.members()).toEqual(new Map([[admin, 'org:admin']]));
    expect(await scene.knex('users').where({ id: admin }).first()).toMatchObject({
      email: 'aDA@eXample.COM',
    });
  });

  test('becomes a new user when another person has the address', async () => {
    const member = await organization.addMember('ada@example.com');
    const [first, second] = [
      await organization.addPerson({ userName: 'a', email: 'ada@example.com' }),
      await organization.addPerson({ userName: 'b', email: 'ada@example.com' }),
    ];
    await organization.apply([second, first]);
    expect(await organization.userOf(first)).toBe(member);
    expect(await memberIds()).toEqual([member, (await organization.userOf(second))!].toSorted());
  });

  test('takes precedence over an inactive person with the address, who then removes nobody', async () => {
    const member = await organization.addMember('ada@example.com');
    const gone = await organization.addPerson({ userName: 'old', email: 'ada@example.com', active: false });
    const id = await organization.addPerson({ userName: 'new', email: 'ada@example.com' });
    await organization.apply([gone]);
    await organization.apply([gone, id]);
    expect(await organization.userOf(id)).toBe(member);
    expect(await organization.userOf(gone)).toBeNull();
    expect(await memberIds()).toEqual([member]);
  });

  test('takes the member over from a deleted person with the address', async () => {
    const member = await organization.addMember('ada@example.com');
    const old = await organization.addPerson({ userName: 'old', email: 'ada@example.com' });
    await organization.apply([old]);
    const id = await organization.addPerson({ userName: 'new', email: 'ada@example.com' });
    await organization.change(old, { deleted_at: new Date() });
    await organization.apply([id]);
    await organization.apply([old]);
    expect([await organization.userOf(old), await organization.userOf(id)]).toEqual([null, member]);
    expect(await memberIds()).toEqual([member]);
  });

  test('never maps to a user of another organization with the address', async () => {
    const stranger = await (await scene.newOrganization()).addMember('ada@example.com');
    const id = await organization.addPerson({ userName: 'ada' });
    await organization.apply([id]);
    expect(await organization.userOf(id)).not.toBe(stranger);
  });

  test('stays the same user when the address changes to that of another member', async () => {
    const other = await organization.addMember('bob@example.com');
    const id = await organization.addPerson({ userName: 'ada', givenName: 'Ada' });
    await organization.apply([id]);
    const userId = (await organization.userOf(id))!;
    await organization.change(id, { email: 'bob@example.com', given_name: 'Countess' });
    await organization.apply([id]);
    expect(await organization.userOf(id)).toBe(userId);
    expect(await memberIds()).toEqual([other, userId].toSorted());
    expect(await scene.knex('users').where({ id: userId }).first()).toMatchObject({
      email: 'bob@example.com',
      first_name: 'Countess',
    });
  });

  test('stays the same user on a return after deletion', async () => {
    const id = await organization.addPerson({ userName: 'ada' });
    await organization.apply([id]);
    const userId = await organization.userOf(id);
    await organization.change(id, { deleted_at: new Date() });
    await organization.apply([id]);
    expect(await memberIds()).toEqual([]);
    await organization.change(id, { deleted_at: null });
    await organization.apply([id]);
    expect(await organization.userOf(id)).toBe(userId);
    expect(await memberIds()).toEqual([userId]);
  });
});

test('members the directory never named are not touched', async () => {
  const workspaceId = await organization.addWorkspace();
  const stays = await organization.addMember('stays@example.com');
  await organization.addByHand(workspaceId, [stays]);
  const key = await organization.addKey({ workspaceId, creatorUserId: stays });
  const ids = await organization.addPeople('ada', 'bob');
  await organization.apply(ids);
  await organization.change(ids[0]!, { active: false });
  await organization.apply(ids);
  expect(await organization.members()).toEqual(
    new Map([
      [stays, 'org:member'],
      [(await organization.userOf(ids[1]!))!, 'org:member'],
    ]),
  );
  expect((await organization.shown(workspaceId)).has(stays)).toBe(true);
  expect(await organization.enabledKeys()).toEqual([key]);
});

test('applying people again writes no rows and no lines', async () => {
  const workspaceId = await organization.addWorkspace();
  const ids = await organization.addPeople('ada', 'bob');
  await organization.addGroup(ids, [[workspaceId, 'admin']]);
  await organization.apply(ids);
  const written = async (): Promise<unknown> => {
    const tables = [
      'users',
      'organization_members',
      'workspace_members',
      'directory_memberships',
      'directory_people',
    ];
    const rows = await Promise.all(
      tables.map((table) => scene.knex(table).select(scene.knex.raw('xmin::text, ctid::text'))),
    );
    return [rows, await organization.lines(), await organization.audited()];
  };
  const before = await written();
  const { counts } = await organization.apply([...ids, ...ids]);
  expect(Object.values(counts).every((count) => count === 0)).toBe(true);
  expect(await written()).toEqual(before);
});

test('a rolled-back run leaves no members, users or lines', async () => {
  const workspaceId = await organization.addWorkspace();
  const ids = await organization.addPeople('ada');
  await organization.addGroup(ids, [[workspaceId, 'admin']]);
  await expect(
    organization.apply(ids, {
      beforeCommit: () => {
        throw new Error('the process is gone');
      },
    }),
  ).rejects.toThrow('the process is gone');
  expect(await memberIds()).toEqual([]);
  expect(await organization.userOf(ids[0]!)).toBeNull();
  expect(await organization.lines()).toEqual([]);
  await organization.apply(ids);
  expect(await memberIds()).toHaveLength(1);
});
