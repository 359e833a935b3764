import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { runKeys } from '../../admin/keys.ts';
import { createDatabase, type Database } from '../support/open-database.ts';
import { addKey, type IssuedKey } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { addGroup, makeMapping, userOf as userOfPerson } from '../support/directory.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { keyOf, patchKey, statusesBecome, statusOf } from '../support/keys.ts';
import { createScimClient, makeScimToken, type ScimClient, userOf } from '../support/scim.ts';
import { makeWorkspace } from '../support/workspaces.ts';

let gateway: Gateway;
let database: Database;
let manager: Caller;
let client: ScimClient;

beforeAll(async () => {
  gateway = await startGateway();
  database = createDatabase({ url: gateway.config.database.url, poolMax: 2 });
  manager = createCaller(gateway.origin, gateway.managementKey);
  client = createScimClient(gateway, (await makeScimToken(gateway)).token);
});

afterAll(async () => {
  await database.close();
  await gateway.close();
});

async function addPerson(): Promise<{ personId: string; userId: string }> {
  const { body } = await client.call('POST', '/Users', userOf());
  return { personId: body.id, userId: await userOfPerson(gateway, body.id) };
}

async function setActive(personId: string, value: boolean): Promise<void> {
  const Operations = [{ op: 'replace', path: 'active', value }];
  expect((await client.call('PATCH', `/Users/${personId}`, { Operations })).status).toBe(200);
}

describe('a key that the directory disabled', () => {
  let person: { personId: string; userId: string };
  let key: IssuedKey;

  beforeEach(async () => {
    person = await addPerson();
    key = await addKey(gateway, { creatorUserId: person.userId });
    expect(await statusOf(gateway, key.token)).toBe(200);
    await setActive(person.personId, false);
    await statusesBecome(gateway, [key.token], 401);
  });

  test('becomes an ordinary key when a request enables it', async () => {
    expect(await keyOf(await patchKey(manager, key.hash, { disabled: false }))).toMatchObject({
      disabled: false,
    });
    expect(await statusOf(gateway, key.token)).toBe(200);
    const rows = await auditRows(gateway, `keys/${key.hash}`);
    expect(rows.map(({ action }) => action)).toEqual(['updateKey', 'updateKey']);
    await setActive(person.personId, true);
    expect(await runKeys(database.knex, ['enable', '--left', person.userId])).toContain(
      'are disabled by the directory',
    );
  });

  test('stays disabled if a request disabled it before its owner returned', async () => {
    expect(await keyOf(await patchKey(manager, key.hash, { disabled: true }))).toMatchObject({
      disabled: true,
    });
    await setActive(person.personId, true);
    expect(await runKeys(database.knex, ['enable', '--left', person.userId])).toContain(
      'are disabled by the directory',
    );
    expect(await statusOf(gateway, key.token)).toBe(401);
  });

  test('remains disabled by the directory when a request only renames it', async () => {
    await keyOf(await patchKey(manager, key.hash, { name: 'Renamed' }));
    await setActive(person.personId, true);
    expect(await runKeys(database.knex, ['enable', '--left', person.userId])).toContain(key.hash);
    await statusesBecome(gateway, [key.token], 200);
  });
});

test('a member kept by the directory cannot be removed from the workspace by hand', async () => {
  const [kept, other] = [await addPerson(), await addPerson()];
  const { id } = await makeWorkspace(manager, 'team');
  await makeMapping(manager, await addGroup(gateway, [kept.personId]), id);
  const change = (verb: string) =>
    manager.call('POST', `/workspaces/team/members/${verb}`, {
      body: { user_ids: [other.userId, kept.userId] },
    });
  expect((await change('add')).status).toBe(200);
  const { code, metadata } = await errorOf(await change('remove'));
  expect({ code, metadata }).toMatchObject({
    code: 400,
    metadata: {
      reason: 'kept_by_directory',
      issues: [{ path: 'body.user_ids.1', message: 'is kept in the workspace by the directory' }],
    },
  });
  const members = (await (await manager.call('GET', '/workspaces/team/members')).json()) as {
    data: { user_id: string }[];
  };
  expect(members.data.map(({ user_id: user }) => user).toSorted()).toEqual(
    [kept.userId, other.userId].toSorted(),
  );
});
