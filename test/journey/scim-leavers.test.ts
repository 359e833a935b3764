import { describe, expect, test } from '@jest/globals';
import { addKey } from '../support/accounts.ts';
import type { Gateway } from '../support/gateway.ts';
import { memberWith, type ScimAnswer, type ScimClient, userOf, useScim } from '../support/scim.ts';

let gateway: Gateway;
let client: ScimClient;

useScim((...opened) => ([gateway, client] = opened));

interface Person {
  id: string;
  userName: string;
  externalId: string;
}

async function provision(): Promise<Person> {
  const [userName, externalId] = [`${crypto.randomUUID()}@example.com`, crypto.randomUUID()];
  const { status, body } = await client.call('POST', '/Users', userOf({ userName, externalId }));
  expect(status).toBe(201);
  return { id: body.id, userName, externalId };
}

const patch = (id: string, ...operations: object[]): Promise<ScimAnswer> =>
  client.call('PATCH', `/Users/${id}`, { Operations: operations });

async function identityKeys(...subjects: string[]): Promise<string[]> {
  const keys = await Promise.all(subjects.map((identitySubject) => addKey(gateway, { identitySubject })));
  return keys.map(({ hash }) => hash);
}

async function enabledOf(hashes: string[]): Promise<string[]> {
  const { rows } = await gateway.database.query<{ hash: string }>(
    'select hash from api_keys where hash = any($1) and not disabled',
    [hashes],
  );
  return rows.map(({ hash }) => hash);
}

describe('a person who leaves under a new name', () => {
  test('loses the keys of old names when one PATCH renames and deactivates', async () => {
    const { id, userName, externalId } = await provision();
    const keys = await identityKeys(userName.toUpperCase(), externalId);
    const renamed = `${crypto.randomUUID()}@example.com`;
    const { status } = await patch(
      id,
      { op: 'Replace', path: 'userName', value: renamed },
      { op: 'Replace', path: 'externalId', value: crypto.randomUUID() },
      { op: 'Replace', path: 'active', value: 'False' },
    );
    expect(status).toBe(200);
    expect(await enabledOf(keys)).toEqual([]);
  });

  test('loses the keys of every earlier name when deleted after two renames', async () => {
    const { id, userName, externalId } = await provision();
    const keys = await identityKeys(userName, externalId);
    for (const round of [1, 2]) {
      const value = { userName: `${round}-${userName}`, externalId: `${round}-${externalId}` };
      expect((await patch(id, { op: 'replace', value })).status).toBe(200);
    }
    expect(await enabledOf(keys)).toHaveLength(2);
    expect((await client.call('DELETE', `/Users/${id}`)).status).toBe(204);
    expect(await enabledOf(keys)).toEqual([]);
  });

  test('loses the keys of a removed and of a replaced external id', async () => {
    const { id, userName, externalId } = await provision();
    await patch(id, { op: 'remove', path: 'externalId' });
    const byId = await identityKeys(externalId);
    await client.call('DELETE', `/Users/${id}`);
    expect(await enabledOf(byId)).toEqual([]);
    const again = userOf({ userName: userName.toUpperCase(), externalId: `new-${externalId}` });
    expect((await client.call('POST', '/Users', again)).body.id).toBe(id);
    await patch(id, { op: 'replace', path: 'externalId', value: `newer-${externalId}` });
    const newer = await identityKeys(`new-${externalId}`);
    await patch(id, { op: 'replace', path: 'active', value: false });
    expect(await enabledOf(newer)).toEqual([]);
  });

  test('keeps the keys of a former name that belongs to another user', async () => {
    const { id, userName } = await provision();
    await patch(id, { op: 'replace', path: 'userName', value: `former-${userName}` });
    expect((await client.call('POST', '/Users', userOf({ userName }))).status).toBe(201);
    const keys = await identityKeys(userName);
    await patch(id, { op: 'replace', path: 'active', value: false });
    expect(await enabledOf(keys)).toEqual(keys);
  });
});

test('a PUT without an external id keeps it for keys and for a return', async () => {
  const { id, userName, externalId } = await provision();
  const keys = await identityKeys(externalId);
  expect((await client.call('PUT', `/Users/${id}`, userOf({ userName }))).body).toMatchObject({ externalId });
  await client.call('DELETE', `/Users/${id}`);
  expect(await enabledOf(keys)).toEqual([]);
  const { status, body } = await client.call('POST', '/Users', userOf({ externalId }));
  expect([status, body.id]).toEqual([201, id]);
});

describe('a PATCH that removes `active`', () => {
  test.each([
    ['remove', { op: 'remove', path: 'active' }],
    ['replace by null', { op: 'replace', path: 'active', value: null }],
    ['replace by null without a path', { op: 'replace', value: { active: null } }],
  ])('leaves the membership of active and inactive people unchanged: %s', async (_what, operation) => {
    const { id, userName } = await provision();
    const member = await memberWith(gateway, userName);
    expect(member).toBeDefined();
    expect((await patch(id, operation)).body).not.toHaveProperty('active');
    expect(await memberWith(gateway, userName)).toEqual(member);

    await patch(id, { op: 'replace', path: 'active', value: false });
    expect(await memberWith(gateway, userName)).toBeUndefined();
    expect((await patch(id, operation)).body).not.toHaveProperty('active');
    await patch(id, { op: 'replace', path: 'title', value: 'Clerk' });
    await client.call('PUT', `/Users/${id}`, { userName });
    expect(await memberWith(gateway, userName)).toBeUndefined();

    expect((await patch(id, { op: 'add', path: 'active', value: true })).body.active).toBe(true);
    expect(await memberWith(gateway, userName)).toEqual(expect.objectContaining({ email: userName }));
  });
});
