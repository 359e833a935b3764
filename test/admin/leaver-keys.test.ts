import { describe, expect, test } from '@jest/globals';
import { runKeys } from '../../admin/keys.ts';
import { AdminUsageError } from '../../admin/arguments.ts';
import {
  type DirectoryOrganization,
  type DirectoryScene,
  useFreshOrganization,
} from '../support/directory-scene.ts';

let scene: DirectoryScene;
let organization: DirectoryOrganization;

// The commands act on the first organization, so each test has a database of its own.
useFreshOrganization((...opened) => ([scene, organization] = opened));

const keys = (...args: string[]): Promise<string> => runKeys(scene.knex, args);

const remembered = async (): Promise<string[]> =>
  (await scene.knex('directory_disabled_keys').select('key_hash')).map(
    (row: { key_hash: string }) => row.key_hash,
  );

/** Somebody with a key in the default workspace, who has left. */
async function leaver(userName: string, jobId: string | null = null) {
  const personId = await organization.addPerson({ userName });
  await organization.apply([personId]);
  const userId = (await organization.userOf(personId))!;
  const key = await organization.addKey({
    workspaceId: organization.defaultWorkspaceId,
    creatorUserId: userId,
  });
  await organization.change(personId, { active: false });
  await organization.apply([personId], { jobId });
  return { personId, userId, key };
}

async function comeBack(personId: string): Promise<void> {
  await organization.change(personId, { active: true });
  await organization.apply([personId]);
}

describe('keys enable --left', () => {
  test('enables the keys of a person who is back, with an audit row', async () => {
    const ada = await leaver('ada');
    await comeBack(ada.personId);
    const before = (await organization.audited()).length;
    expect(await keys('enable', '--left', ada.userId)).toContain(`enabled        ${ada.key}`);
    expect(await organization.enabledKeys()).toEqual([ada.key]);
    expect(await remembered()).toEqual([]);
    expect((await organization.audited()).slice(before)).toEqual([`updateKey keys/${ada.key}`]);
    expect(await keys('enable', '--left', ada.userId)).toContain('are disabled by the directory');
  });

  test('leaves the keys disabled while the person is away, and prints that', async () => {
    const ada = await leaver('ada');
    const printed = await keys('enable', '--left', ada.userId);
    expect(printed).toContain(`left disabled  ${ada.key}`);
    expect(printed).toContain('Enabled: 0. Left disabled: 1.\nNext: ');
    expect(await organization.enabledKeys()).toEqual([]);
    expect(await remembered()).toEqual([ada.key]);
  });

  test('leaves a key disabled until its owner is in its workspace again', async () => {
    const workspaceId = await organization.addWorkspace();
    const personId = await organization.addPerson({ userName: 'ada' });
    const group = await organization.addGroup([personId], [[workspaceId, 'member']]);
    await organization.apply([personId]);
    const userId = (await organization.userOf(personId))!;
    const key = await organization.addKey({ workspaceId, creatorUserId: userId });
    await scene.knex('directory_group_members').where({ group_id: group }).delete();
    await organization.apply([personId]);
    expect(await keys('enable', '--left', userId)).toContain('Enabled: 0. Left disabled: 1.');
    await organization.addByHand(workspaceId, [userId]);
    expect(await keys('enable', '--left', userId)).toContain('Enabled: 1. Left disabled: 0.');
    expect(await organization.enabledKeys()).toEqual([key]);
  });

  test('leaves a key disabled when its owner came back without its workspace', async () => {
    const workspaceId = await organization.addWorkspace();
    const personId = await organization.addPerson({ userName: 'ada' });
    const group = await organization.addGroup([personId], [[workspaceId, 'member']]);
    await organization.apply([personId]);
    const userId = (await organization.userOf(personId))!;
    const away = await organization.addKey({ workspaceId, creatorUserId: userId });
    const back = await organization.addKey({
      workspaceId: organization.defaultWorkspaceId,
      creatorUserId: userId,
    });
    await organization.change(personId, { active: false });
    await organization.apply([personId]);
    await scene.knex('directory_group_members').where({ group_id: group }).delete();
    await comeBack(personId);
    const printed = await keys('enable', '--left', userId);
    expect(printed).toContain(`enabled        ${back}`);
    expect(printed).toContain(`left disabled  ${away}`);
    expect(printed).toContain(`(${userId} is not back in its workspace)`);
    expect(await organization.enabledKeys()).toEqual([back]);
  });
});

test('keys enable --job enables the keys that one job disabled, of people who are back', async () => {
  const jobId = await organization.addJob();
  const [ada, bob] = [await leaver('ada', jobId), await leaver('bob', jobId)];
  const other = await leaver('eve');
  await comeBack(ada.personId);
  await comeBack(other.personId);
  const printed = await keys('enable', '--job', jobId);
  expect(printed).toContain(`enabled        ${ada.key}`);
  expect(printed).toContain(`left disabled  ${bob.key}`);
  expect(await organization.enabledKeys()).toEqual([ada.key]);
});

test.each([
  [['--left', 'user_a', '--job', 'a'], 'either --left USER or --job JOB'],
  [['--job', 'nonsense'], 'must be the id of a sync job'],
])('keys enable %j is refused', async (args, words) => {
  const error: unknown = await keys('enable', ...args).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AdminUsageError);
  expect((error as Error).message).toContain(words);
});

test.each(['enable', 'disable', 'delete'])(
  'keys %s excludes a key from a later keys enable --left',
  async (verb) => {
    const ada = await leaver('ada');
    await keys(verb, ada.key);
    expect(await remembered()).toEqual([]);
    await comeBack(ada.personId);
    expect(await keys('enable', '--left', ada.userId)).toContain('are disabled by the directory');
  },
);
