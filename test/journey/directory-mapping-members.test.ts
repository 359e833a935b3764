import { describe, expect, test } from '@jest/globals';
import { addKey, addUser, type IssuedKey, type Place } from '../support/accounts.ts';
import type { Caller } from '../support/caller.ts';
import {
  addGroup,
  addPerson,
  deleteMapping,
  makeMapping,
  mappingOf,
  membersOf,
  patchMapping,
  rolesIn,
  useCompany,
  userOf,
} from '../support/directory.ts';
import type { Gateway } from '../support/gateway.ts';
import { statusesBecome, statusOf } from '../support/keys.ts';
import { makeWorkspace } from '../support/workspaces.ts';

let gateway: Gateway;
let company: Gateway;
let place: Place;
let manager: Caller;
let workspaceId: string;

useCompany((opened) => ({ gateway, company, place, manager, workspaceId } = opened));

const mapped = async (personIds: string[], role = 'member', workspace = workspaceId) => {
  const groupId = await addGroup(company, personIds);
  return makeMapping(manager, groupId, workspace, role);
};

const isRemoved = async (id: string, keepMembers: boolean): Promise<void> => {
  const answer = await deleteMapping(manager, id, keepMembers);
  expect([answer.status, await answer.json()]).toEqual([200, { deleted: true }]);
};

/** Returns the parts of memberships that stay while they last. */
const identities = async (): Promise<{ id: string; user_id: string; role: string }[]> => {
  const members = await membersOf(manager, workspaceId);
  return members
    .map(({ id, user_id: userId, role }) => ({ id, user_id: userId, role }))
    .toSorted((a, b) => a.id.localeCompare(b.id));
};

/** Returns the users who have a part made by hand. */
const byHand = async (workspace: string): Promise<string[]> => {
  const { rows } = await gateway.database.query<{ user_id: string }>(
    'select user_id from workspace_members where workspace_id = $1',
    [workspace],
  );
  return rows.map(({ user_id: user }) => user);
};

/** A key that the user made for the workspace. */
const keyBy = (userId: string, workspace = workspaceId): Promise<IssuedKey> =>
  addKey(gateway, {
    organizationId: place.organizationId,
    workspaceId: workspace,
    creatorUserId: userId,
  });

const setByHand = (verb: 'add' | 'remove', userId: string): Promise<Response> =>
  manager.call('POST', `/workspaces/team/members/${verb}`, { body: { user_ids: [userId] } });

describe('a new mapping', () => {
  test("adds only the group's active people to organization and workspace", async () => {
    const [ann, ben, ina] = [
      await addPerson(company),
      await addPerson(company),
      await addPerson(company, { active: false }),
    ];
    await addPerson(company);
    const outsider = await addUser(gateway, place.organizationId);
    await mapped([ann, ben, ina], 'admin');
    const users = [await userOf(company, ann), await userOf(company, ben)];
    expect(await rolesIn(manager, workspaceId)).toEqual({ [users[0]!]: 'admin', [users[1]!]: 'admin' });
    const everyone = Object.keys(await rolesIn(manager, place.workspaceId));
    expect(everyone.toSorted()).toEqual([...users, outsider].toSorted());
  });

  test("reuses the member with the person's address in any case", async () => {
    const userId = await addUser(gateway, place.organizationId);
    const ann = await addPerson(company, { email: 'SomeOne@Example.com' });
    await mapped([ann]);
    expect(await userOf(company, ann)).toBe(userId);
    expect(await rolesIn(manager, workspaceId)).toEqual({ [userId]: 'member' });
  });

  test('takes effect again when it is created again', async () => {
    const ann = await addPerson(company);
    const mapping = await mapped([ann]);
    await gateway.database.query('delete from directory_memberships where workspace_id = $1', [workspaceId]);
    expect(await rolesIn(manager, workspaceId)).toEqual({});
    expect(await makeMapping(manager, mapping.scim_group_id, workspaceId)).toEqual(mapping);
    expect(await rolesIn(manager, workspaceId)).toEqual({ [await userOf(company, ann)]: 'member' });
  });

  test('takes effect even if the people come from a pulled source', async () => {
    await gateway.database.query(
      `insert into scim_sources (organization_id, type, base_url, sealed_token, token_hint, interval_minutes, disable_keys)
       values ($1, 'scim', 'https://source.example/v2', 'sealed', 'tail', 60, 'all')`,
      [place.organizationId],
    );
    const ann = await addPerson(company);
    await mapped([ann]);
    expect(await rolesIn(manager, workspaceId)).toEqual({ [await userOf(company, ann)]: 'member' });
  });
});

describe('the role of a mapping', () => {
  test('changes the role of memberships in both directions and keeps their ids', async () => {
    const ann = await addPerson(company);
    const { id } = await mapped([ann]);
    const before = await membersOf(manager, workspaceId);
    await mappingOf(await patchMapping(manager, id, 'admin'));
    expect(await membersOf(manager, workspaceId)).toEqual([{ ...before[0], role: 'admin' }]);
    await mappingOf(await patchMapping(manager, id, 'member'));
    expect(await membersOf(manager, workspaceId)).toEqual(before);
  });

  test('yields the highest role if a person is in several groups', async () => {
    const [ann, ben] = [await addPerson(company), await addPerson(company)];
    const low = await mapped([ann, ben]);
    const high = await mapped([ann], 'admin');
    const [user, other] = [await userOf(company, ann), await userOf(company, ben)];
    expect(await rolesIn(manager, workspaceId)).toEqual({ [user]: 'admin', [other]: 'member' });
    await isRemoved(high.id, false);
    expect(await rolesIn(manager, workspaceId)).toEqual({ [user]: 'member', [other]: 'member' });
    await isRemoved(low.id, false);
    expect(await rolesIn(manager, workspaceId)).toEqual({});
  });

  test('changes the role in the default workspace until the mapping ends', async () => {
    const ann = await addPerson(company);
    const admin = await addUser(gateway, place.organizationId, 'org:admin');
    const roleOf = async (user: string) => (await rolesIn(manager, place.workspaceId))[user];
    for (const keepMembers of [true, false]) {
      const { id } = await mapped([ann], 'admin', place.workspaceId);
      const user = await userOf(company, ann);
      expect(await roleOf(user)).toBe('admin');
      await isRemoved(id, keepMembers);
      expect(await roleOf(user)).toBe('member');
    }
    expect(await byHand(place.workspaceId)).toEqual([]);
    expect(await roleOf(admin)).toBe('admin');
  });
});

describe('the deletion of a mapping', () => {
  test('removes memberships and their keys without keep_members, and nothing else', async () => {
    const [ann, ben, cleo] = [await addPerson(company), await addPerson(company), await addPerson(company)];
    const { id } = await mapped([ann, ben, cleo]);
    await mapped([cleo]);
    const [user, kept, twice] = [
      await userOf(company, ann),
      await userOf(company, ben),
      await userOf(company, cleo),
    ];
    expect((await setByHand('add', kept)).status).toBe(200);
    const before = await identities();
    const lost = await keyBy(user);
    const staying = [
      await keyBy(user, place.workspaceId),
      await keyBy(kept),
      await keyBy(twice),
      await addKey(gateway, { ...place, workspaceId }),
    ];
    await isRemoved(id, false);
    expect(await identities()).toEqual(before.filter((one) => one.user_id !== user));
    expect(Object.keys(await rolesIn(manager, place.workspaceId))).toContain(user);
    await statusesBecome(gateway, [lost.token], 401);
    for (const { token } of staying) expect(await statusOf(gateway, token)).toBe(200);
  });

  test('turns memberships into manual ones with keep_members', async () => {
    const [ann, ben, cleo] = [await addPerson(company), await addPerson(company), await addPerson(company)];
    const { id } = await mapped([ann, ben], 'admin');
    await mapped([ben, cleo]);
    const before = await membersOf(manager, workspaceId);
    const key = await keyBy(await userOf(company, ann));
    await isRemoved(id, true);
    expect(await membersOf(manager, workspaceId)).toEqual(before);
    expect(await statusOf(gateway, key.token)).toBe(200);
    // Only the directory's members cannot be removed by hand.
    await manager.call('PATCH', `/keys/${key.hash}`, { body: { disabled: true } });
    expect((await setByHand('remove', await userOf(company, ann))).status).toBe(200);
    expect((await setByHand('remove', await userOf(company, ben))).status).toBe(400);
  });

  test('keeps with keep_members the higher role of a manual member', async () => {
    const ann = await addPerson(company);
    const { id } = await mapped([ann]);
    const user = await userOf(company, ann);
    await setByHand('add', user);
    await mappingOf(await patchMapping(manager, id, 'admin'));
    const before = await membersOf(manager, workspaceId);
    expect(before.map(({ role }) => role)).toEqual(['admin']);
    await isRemoved(id, true);
    expect(await membersOf(manager, workspaceId)).toEqual(before);
    expect((await setByHand('remove', user)).status).toBe(200);
    expect(await membersOf(manager, workspaceId)).toEqual([]);
  });

  test('keeps with keep_members only those people who would lose their membership', async () => {
    const [ann, ben, cleo] = [await addPerson(company), await addPerson(company), await addPerson(company)];
    const { id } = await mapped([ann, ben, cleo]);
    await mapped([cleo]);
    await gateway.database.query('delete from directory_group_members where person_id = $1', [ann]);
    await isRemoved(id, true);
    expect(await byHand(workspaceId)).toEqual([await userOf(company, ben)]);
  });
});

describe('a change of a mapping', () => {
  test('leaves held removals to the sync that allows them', async () => {
    const ann = await addPerson(company);
    const { id } = await mapped([ann]);
    const before = await membersOf(manager, workspaceId);
    await gateway.database.query('delete from directory_group_members where person_id = $1', [ann]);
    await gateway.database.query('update directory_people set removal_held_at = now() where id = $1', [ann]);
    await mappingOf(await patchMapping(manager, id, 'admin'));
    await mapped([ann], 'member', (await makeWorkspace(manager, 'other')).id);
    await isRemoved(id, false);
    expect(before).toHaveLength(1);
    expect(await membersOf(manager, workspaceId)).toEqual(before);
  });

  test('performs no removal that the guard has not judged', async () => {
    const ann = await addPerson(company);
    await mapped([ann]);
    const before = await membersOf(manager, workspaceId);
    await gateway.database.query('delete from directory_group_members where person_id = $1', [ann]);
    await gateway.database.query(`update directory_people set pending = 'guarded' where id = $1`, [ann]);
    await mapped([ann], 'member', (await makeWorkspace(manager, 'other')).id);
    expect(before).toHaveLength(1);
    expect(await membersOf(manager, workspaceId)).toEqual(before);
  });
});
