import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  createDirectoryScene,
  type DirectoryOrganization,
  type DirectoryScene,
} from '../../support/directory-scene.ts';

let scene: DirectoryScene;
let organization: DirectoryOrganization;
let team: string;
let ada: { personId: string; userId: string; group: string };

beforeAll(async () => {
  scene = await createDirectoryScene();
});

afterAll(() => scene.close());

/** Each test has an organization with a workspace, in which the directory keeps Ada. */
beforeEach(async () => {
  organization = await scene.newOrganization();
  team = await organization.addWorkspace();
  const personId = await organization.addPerson({ userName: 'Ada', externalId: '00uADA' });
  const group = await organization.addGroup([personId], [[team, 'member']]);
  await organization.apply([personId]);
  ada = { personId, userId: (await organization.userOf(personId))!, group };
});

const leave = async (disableKeys: 'all' | 'identified' = 'all') => {
  await organization.change(ada.personId, { active: false });
  return organization.apply([ada.personId], { disableKeys });
};

const loseTeam = async (disableKeys: 'all' | 'identified' = 'all') => {
  await scene.knex('directory_group_members').where({ group_id: ada.group }).delete();
  return organization.apply([ada.personId], { disableKeys });
};

/** Keys of the default workspace and of the team. */
const keysOf = async (facts: { creatorUserId?: string; identitySubject?: string }): Promise<string[]> => [
  await organization.addKey({ workspaceId: organization.defaultWorkspaceId, ...facts }),
  await organization.addKey({ workspaceId: team, ...facts }),
];

describe('a leaver', () => {
  test.each([
    ['inactive', { active: false }],
    ['deleted', { deleted_at: new Date() }],
  ])('loses workspaces, organization and keys, with audit rows, when %s', async (_, columns) => {
    const hand = await organization.addWorkspace();
    await organization.addByHand(hand, [ada.userId]);
    const keys = await keysOf({ creatorUserId: ada.userId });
    await organization.change(ada.personId, columns);
    const before = (await organization.audited()).length;
    const { counts } = await organization.apply([ada.personId]);
    expect(counts).toMatchObject({
      membersRemoved: 1,
      workspaceMembersRemoved: 2,
      keysDisabled: 2,
      keysLeft: 0,
    });
    expect(await organization.members()).toEqual(new Map());
    expect([await organization.shown(team), await organization.shown(hand)]).toEqual([new Map(), new Map()]);
    expect(await organization.enabledKeys()).toEqual([]);
    expect((await organization.audited()).slice(before)).toEqual([
      `removeOrganizationMember organization/members/${ada.userId}`,
      ...keys.map((hash) => `updateKey keys/${hash}`),
    ]);
  });

  test('loses the keys under their external id or user name, and no others', async () => {
    const theirs = [
      ...(await keysOf({ identitySubject: '00uADA' })),
      ...(await keysOf({ identitySubject: 'aDA' })),
    ];
    const others = [
      ...(await keysOf({})),
      ...(await keysOf({ identitySubject: '00uada' })),
      ...(await keysOf({ identitySubject: 'ada@example.com' })),
    ];
    const { counts } = await leave();
    expect(counts).toMatchObject({ keysDisabled: theirs.length, keysLeft: 0 });
    expect(await organization.enabledKeys()).toEqual(others);
  });

  test('keeps keys that they only made when disableKeys is "identified"', async () => {
    const made = await keysOf({ creatorUserId: ada.userId });
    const identified = await keysOf({ creatorUserId: ada.userId, identitySubject: 'ada' });
    const { counts } = await leave('identified');
    expect(counts).toMatchObject({ keysDisabled: 2, keysLeft: 2 });
    expect(await organization.enabledKeys()).toEqual(made);
    const lines = (await organization.lines()).filter(({ kind }) => kind === 'key');
    expect(lines.map((line) => `${line.key_hash} ${line.from_value} ${line.to_value}`).toSorted()).toEqual(
      [
        ...made.map((hash) => `${hash} active active`),
        ...identified.map((hash) => `${hash} active disabled`),
      ].toSorted(),
    );
  });

  test('loses the keys under one of their former names, in any case', async () => {
    await scene.knex('directory_former_names').insert([
      { person_id: ada.personId, name: 'Ada-Byron' },
      { person_id: ada.personId, name: '00uBYRON' },
    ]);
    const theirs = [
      ...(await keysOf({ identitySubject: 'ADA-byron' })),
      ...(await keysOf({ identitySubject: '00ubyron' })),
    ];
    const others = await keysOf({ identitySubject: 'ada-byron-2' });
    const { counts } = await leave('identified');
    expect(counts).toMatchObject({ keysDisabled: theirs.length, keysLeft: 0 });
    expect(await organization.enabledKeys()).toEqual(others);
  });

  test.each([
    ['user name', { userName: 'ADA-BYRON' }],
    ['external id', { userName: 'Babbage', externalId: 'Ada-Byron' }],
  ])('keeps keys under a former name that is now the %s of another person', async (_what, facts) => {
    await scene.knex('directory_former_names').insert({ person_id: ada.personId, name: 'Ada-Byron' });
    const keys = await keysOf({ identitySubject: 'Ada-Byron' });
    const other = await organization.addPerson(facts);
    await organization.apply([other]);
    await leave();
    expect(await organization.enabledKeys()).toEqual(keys);
    await organization.change(other, { deleted_at: new Date() });
    await organization.change(ada.personId, { active: true });
    await organization.apply([ada.personId]);
    await leave();
    expect(await organization.enabledKeys()).toEqual([]);
  });

  test('keeps keys under the same identity in another organization', async () => {
    const other = await scene.newOrganization();
    const key = await other.addKey({ workspaceId: other.defaultWorkspaceId, identitySubject: '00uADA' });
    await leave();
    expect(await other.enabledKeys()).toEqual([key]);
  });

  test('gets memberships back on return, manual ones as member, but no key', async () => {
    const hand = await organization.addWorkspace();
    await organization.addByHand(hand, [ada.userId]);
    await scene.knex('workspace_members').where({ workspace_id: hand }).update({ role: 'admin' });
    await keysOf({ creatorUserId: ada.userId });
    await leave();
    await organization.change(ada.personId, { active: true });
    const { counts } = await organization.apply([ada.personId]);
    expect(counts).toMatchObject({ membersAdded: 1, workspaceMembersAdded: 2 });
    expect(await organization.members()).toEqual(new Map([[ada.userId, 'org:member']]));
    expect((await organization.shown(team)).get(ada.userId)).toMatchObject({ role: 'member' });
    expect((await organization.shown(hand)).get(ada.userId)).toMatchObject({ role: 'member' });
    expect(await organization.enabledKeys()).toEqual([]);
    expect(await scene.knex('directory_left_memberships').where({ user_id: ada.userId })).toEqual([]);
  });

  test('gets no membership back in a workspace deleted in between', async () => {
    const hand = await organization.addWorkspace();
    await organization.addByHand(hand, [ada.userId]);
    await leave();
    await scene.knex('workspaces').where({ id: hand }).update({ deleted_at: new Date() });
    await organization.change(ada.personId, { active: true });
    expect((await organization.apply([ada.personId])).counts.workspaceMembersAdded).toBe(1);
  });

  test('loses nothing while the removal is held, but gains new workspaces', async () => {
    const other = await organization.addWorkspace();
    await organization.addGroup([ada.personId], [[other, 'member']]);
    await organization.change(ada.personId, { removal_held_at: new Date() });
    const keys = await keysOf({ creatorUserId: ada.userId });
    await loseTeam();
    expect((await organization.shown(team)).has(ada.userId)).toBe(true);
    expect((await organization.shown(other)).has(ada.userId)).toBe(true);
    await leave();
    expect((await organization.shown(team)).has(ada.userId)).toBe(true);
    expect(await organization.enabledKeys()).toEqual(keys);
  });
});

describe('a person who loses one workspace', () => {
  test('loses the keys there and stays a member with the other keys', async () => {
    const [kept] = await keysOf({ creatorUserId: ada.userId });
    const { counts } = await loseTeam();
    expect(counts).toMatchObject({ membersRemoved: 0, workspaceMembersRemoved: 1, keysDisabled: 1 });
    expect([...(await organization.members()).keys()]).toEqual([ada.userId]);
    expect(await organization.enabledKeys()).toEqual([kept]);
  });

  test('keeps keys there that they only made when disableKeys is "identified"', async () => {
    const made = await keysOf({ creatorUserId: ada.userId });
    await keysOf({ identitySubject: 'ADA' });
    const { counts } = await loseTeam('identified');
    expect(counts).toMatchObject({ keysDisabled: 1, keysLeft: 1 });
    expect(await organization.enabledKeys()).toEqual(expect.arrayContaining(made));
  });

  test('keeps the keys there while a manual membership remains', async () => {
    const keys = await keysOf({ creatorUserId: ada.userId });
    await organization.addByHand(team, [ada.userId]);
    const { counts } = await loseTeam();
    expect(counts).toMatchObject({ workspaceMembersRemoved: 0, keysDisabled: 0 });
    expect(await organization.enabledKeys()).toEqual(keys);
  });

  test('keeps the keys of the default workspace', async () => {
    const group = await organization.addGroup([ada.personId], [[organization.defaultWorkspaceId, 'admin']]);
    await organization.apply([ada.personId]);
    const keys = await keysOf({ creatorUserId: ada.userId });
    await scene.knex('directory_group_members').where({ group_id: group }).delete();
    const { counts } = await organization.apply([ada.personId]);
    expect(counts).toMatchObject({ workspaceMembersChanged: 1, workspaceMembersRemoved: 0, keysDisabled: 0 });
    expect(await organization.enabledKeys()).toEqual(keys);
  });
});

describe('the last administrator', () => {
  const administrators = async (): Promise<string[]> =>
    [...(await organization.members())].filter(([, role]) => role === 'org:admin').map(([user]) => user);

  const admin = async (userName: string): Promise<{ personId: string; userId: string }> => {
    const userId = await organization.addMember(`${userName}@example.com`, 'org:admin');
    const personId = await organization.addPerson({ userName });
    await organization.apply([personId]);
    return { personId, userId };
  };

  test('stays with membership, workspaces and keys, and a warning names them', async () => {
    const last = await admin('root');
    await organization.addByHand(team, [last.userId]);
    const [key] = await keysOf({ creatorUserId: last.userId });
    await organization.change(last.personId, { deleted_at: new Date() });
    const { counts, warnings } = await organization.apply([last.personId]);
    expect(counts.membersRemoved).toBe(0);
    expect(warnings).toEqual([
      { reason: 'last_admin_stays', message: expect.stringContaining('root'), userId: last.userId },
    ]);
    expect(await administrators()).toEqual([last.userId]);
    expect((await organization.shown(team)).get(last.userId)).toMatchObject({ role: 'admin' });
    expect(await organization.enabledKeys()).toContain(key);
  });

  test('stays as the one with the longest membership when several leave at once', async () => {
    const [first, second] = [await admin('first'), await admin('second')];
    await scene
      .knex('directory_people')
      .where({ organization_id: organization.id })
      .update({ active: false });
    await organization.apply([second.personId, first.personId]);
    expect(await administrators()).toEqual([first.userId]);
  });

  test('stays when two leave in two concurrent transactions', async () => {
    const both = [await admin('first'), await admin('second')];
    await scene
      .knex('directory_people')
      .where({ organization_id: organization.id })
      .update({ active: false });
    await Promise.all(both.map(({ personId }) => organization.apply([personId])));
    expect(await administrators()).toHaveLength(1);
  });

  test('leaves when another administrator is there', async () => {
    const last = await admin('root');
    const other = await organization.addMember('other@example.com', 'org:admin');
    await organization.change(last.personId, { active: false });
    expect((await organization.apply([last.personId])).warnings).toEqual([]);
    expect(await administrators()).toEqual([other]);
  });
});

test('a job keeps at most 10,000 lines', async () => {
  const jobId = await organization.addJob();
  await scene.knex.raw(
    `insert into directory_changes (organization_id, job_id, kind, name, is_removal)
     select ?, ?, 'group', 'A group', false from generate_series(1, 9999)`,
    [organization.id, jobId],
  );
  const ids = await organization.addPeople('bob', 'eve');
  await organization.apply(ids, { jobId });
  expect(await organization.lines(jobId)).toHaveLength(10_000);
});
