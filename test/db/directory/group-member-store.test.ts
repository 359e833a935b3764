import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createAccountStore } from '../../../db/accounts/account-store.ts';
import { createDatabase, type Database } from '../../support/open-database.ts';
import { createGroupMemberStore } from '../../../db/directory/group-member-store.ts';
import { createGroupStore } from '../../../db/directory/group-store.ts';
import { newUuid } from '../../../domain/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const organizationId = newUuid();
const otherOrganizationId = newUuid();

let testDatabase: TestDatabase;
let database: Database;
let groupId: string;
let members: ReturnType<typeof createGroupMemberStore>;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 2 });
  members = createGroupMemberStore(database.knex);
  const accounts = createAccountStore(database.knex);
  for (const id of [organizationId, otherOrganizationId]) {
    await accounts.insertOrganization({ id, name: 'Test', creditEnforcement: false, entitlements: [] });
  }
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});
beforeEach(async () => {
  const draft = { displayName: newUuid(), externalId: null, resource: {} };
  groupId = (await createGroupStore(database.knex).insert(organizationId, draft)).id;
});

/** A person as a run of a pulled source stores one. */
async function addPerson(sourceId: string | null, organization = organizationId): Promise<string> {
  const id = newUuid();
  await database.knex('directory_people').insert({
    id,
    organization_id: organization,
    source_id: sourceId,
    user_name: id,
    email: id,
    active: true,
    resource: '{}',
  });
  return id;
}

const shown = async (): Promise<string[]> => (await members.list([groupId])).map(({ value }) => value);

describe('a group member', () => {
  test("has one entry, whether added by its own id or its source's id", async () => {
    const id = await addPerson('source-1');
    expect(await members.add(organizationId, groupId, ['source-1', id])).toEqual({
      count: 1,
      personIds: [id],
    });
    expect(await members.add(organizationId, groupId, [id])).toEqual({ count: 0, personIds: [] });
    expect(await shown()).toEqual([id]);
    expect(await members.remove(groupId, [id])).toEqual({ count: 1, personIds: [id] });
  });

  test('stays when a replacement names either of its ids', async () => {
    const [kept, gone] = [await addPerson('source-2'), await addPerson(null)];
    await members.add(organizationId, groupId, ['source-2', gone, 'unknown', 'unknown-too']);
    expect(await members.removeOthers(organizationId, groupId, [kept, 'unknown'])).toEqual({
      count: 2,
      personIds: [gone],
    });
    expect(await shown()).toEqual(expect.arrayContaining([kept, 'unknown']));
  });

  test('stays unresolved when its person belongs to another organization', async () => {
    const foreign = await addPerson('source-3', otherOrganizationId);
    expect(await members.add(organizationId, groupId, [foreign, 'source-3'])).toEqual({
      count: 2,
      personIds: [],
    });
    await members.resolve(otherOrganizationId, foreign, 'source-3');
    expect(await members.groupsOf([foreign])).toEqual([]);
  });

  test('resolves to a person who is added later', async () => {
    await members.add(organizationId, groupId, ['source-4']);
    const id = await addPerson('source-4');
    await members.resolve(organizationId, id, 'source-4');
    expect(await shown()).toEqual([id]);
    expect(await members.groupsOf([id])).toMatchObject([{ groupId }]);
  });
});

describe('the number of members', () => {
  const bump = async (added: number): Promise<number> =>
    (await createGroupStore(database.knex).bumpVersion(groupId, added)).members;

  test('adds up changes, and is counted again when it is unknown', async () => {
    const { count } = await members.add(organizationId, groupId, ['a', 'b', 'c']);
    expect(await bump(count)).toBe(3);
    await database.knex('directory_groups').where({ id: groupId }).update({ members: null });
    await members.remove(groupId, ['a']);
    expect(await bump(-1)).toBe(2);
  });

  test('shrinks when a person is removed from all groups', async () => {
    const id = await addPerson(null);
    await bump((await members.add(organizationId, groupId, [id, 'b'])).count);
    await members.removePerson(id);
    expect(await bump(0)).toBe(1);
  });
});
