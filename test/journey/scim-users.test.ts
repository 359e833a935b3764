import { describe, expect, test } from '@jest/globals';
import { addOrganization } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import type { Gateway } from '../support/gateway.ts';
import { addPeople, type ScimClient, strangerTo, userOf, useScim } from '../support/scim.ts';

let gateway: Gateway;
let client: ScimClient;
let stranger: ScimClient;

useScim(async (...opened) => {
  [gateway, client] = opened;
  stranger = await strangerTo(gateway, await addOrganization(gateway));
});

async function create(facts: object = {}): Promise<{ id: string; userName: string; body: object }> {
  const { status, body } = await client.call('POST', '/Users', userOf(facts));
  expect(status).toBe(201);
  return { id: body.id, userName: body.userName, body };
}

const membersNamed = async (email: string): Promise<number> => {
  const { rows } = await gateway.database.query(
    `select 1 from organization_members join users on users.id = user_id where email = $1`,
    [email],
  );
  return rows.length;
};

describe('a created user', () => {
  test('has a complete answer, with Location and ETag', async () => {
    const sent = userOf({ userName: 'Ada@example.com', externalId: 'ext-ada', nickName: 'Countess' });
    const { status, headers, body } = await client.call('POST', '/Users', sent);
    expect(status).toBe(201);
    const location = `https://gateway.example/api/v1/scim/v2/Users/${body.id}`;
    expect([headers.get('location'), headers.get('etag')]).toEqual([location, 'W/"1"']);
    expect(body).toEqual({
      ...sent,
      id: expect.any(String),
      groups: [],
      meta: {
        resourceType: 'User',
        created: expect.any(String),
        lastModified: expect.any(String),
        location,
        version: 'W/"1"',
      },
    });
    expect((await client.call('GET', `/Users/${body.id}`)).body).toEqual(body);
    expect(await membersNamed('Ada@example.com')).toBe(1);
  });

  test('leaves an audit row with the hash of the token and the id of the request', async () => {
    const headers = { 'x-request-id': 'from-okta' };
    const { body } = await client.call('POST', '/Users', userOf(), headers);
    const { rows } = await gateway.database.query<{ hash: string }>(
      'select hash from scim_tokens where organization_id = $1',
      [gateway.organizationId],
    );
    expect(await auditRows(gateway, `scim/v2/Users/${body.id}`)).toEqual([
      {
        organization_id: gateway.organizationId,
        key_hash: rows[0]!.hash,
        action: 'createProvisionedUser',
        target: `scim/v2/Users/${body.id}`,
        request_id: 'from-okta',
      },
    ]);
  });

  test.each([
    ['user name in another case', (name: string) => ({ userName: name.toUpperCase() })],
    ['external id', () => ({ externalId: 'taken' })],
  ])('refuses with 409 another user with its %s', async (_what, facts) => {
    const { id, userName } = await create({ externalId: 'taken' });
    const refused = await client.call('POST', '/Users', userOf(facts(userName)));
    expect([refused.status, refused.body.scimType]).toEqual([409, 'uniqueness']);
    const other = await create();
    const renamed = await client.call('PATCH', `/Users/${other.id}`, {
      Operations: [{ op: 'replace', value: facts(userName) }],
    });
    expect([renamed.status, renamed.body.scimType]).toEqual([409, 'uniqueness']);
    expect((await client.call('DELETE', `/Users/${id}`)).status).toBe(204);
  });

  test('requires userName, and the 400 names field and rule', async () => {
    const { status, body } = await client.call('POST', '/Users', { active: true });
    expect([status, body.scimType, body.detail]).toEqual([
      400,
      'invalidValue',
      'userName is required and must not be empty.',
    ]);
  });
});

describe('a replaced user', () => {
  test('loses attributes that the request omits, except the external id', async () => {
    const { id, userName } = await create({ externalId: 'ext-replaced', title: 'Engineer' });
    const { status, headers, body } = await client.call('PUT', `/Users/${id}`, userOf({ userName }));
    expect([status, headers.get('etag')]).toEqual([200, 'W/"2"']);
    expect(body).not.toHaveProperty('title');
    expect(body).toMatchObject({ externalId: 'ext-replaced' });
    expect((await client.call('GET', `/Users/${id}`)).body).toEqual(body);
  });

  test.each([true, false])('keeps its active state if the request omits it: %s', async (active) => {
    const { id, userName } = await create({ active });
    const { active: _, ...silent } = userOf({ userName, title: 'Engineer' });
    expect((await client.call('PUT', `/Users/${id}`, silent)).body).toMatchObject({
      active,
      title: 'Engineer',
    });
    expect(await membersNamed(userName)).toBe(active ? 1 : 0);
  });

  test('keeps its version when nothing changes', async () => {
    const { id, body } = await create();
    const again = await client.call('PUT', `/Users/${id}`, body);
    expect([again.status, again.headers.get('etag')]).toEqual([200, 'W/"1"']);
    const patched = await client.call('PATCH', `/Users/${id}`, {
      Operations: [{ op: 'replace', path: 'active', value: true }],
    });
    expect([patched.status, patched.body]).toEqual([200, body]);
  });
});

describe('a deleted user', () => {
  test('answers 404 to every request, and leaves organization and groups', async () => {
    const { id, userName } = await create();
    const group = await client.call('POST', '/Groups', { displayName: 'Left', members: [{ value: id }] });
    expect((await client.call('DELETE', `/Users/${id}`)).status).toBe(204);
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', userOf({ userName })],
      ['PATCH', { Operations: [{ op: 'replace', path: 'active', value: true }] }],
      ['DELETE', undefined],
    ] as const) {
      expect((await client.call(method, `/Users/${id}`, body)).status).toBe(404);
    }
    const filter = encodeURIComponent(`userName eq "${userName}"`);
    expect((await client.call('GET', `/Users?filter=${filter}`)).body.totalResults).toBe(0);
    const left = await client.call('GET', `/Groups/${group.body.id}`);
    expect([left.body.members, left.headers.get('etag')]).toEqual([[], 'W/"2"']);
    expect(await membersNamed(userName)).toBe(0);
  });

  test.each([
    ['user name', { externalId: 'another' }],
    ['external id', { userName: 'married@example.com' }],
  ])('returns under the same id with the same %s, as the same user', async (_what, facts) => {
    const names = { userName: `${crypto.randomUUID()}@example.com`, externalId: crypto.randomUUID() };
    const { id } = await create(names);
    const userOfPerson = async (): Promise<string> => {
      const { rows } = await gateway.database.query<{ user_id: string }>(
        'select user_id from directory_people where id = $1',
        [id],
      );
      return rows[0]!.user_id;
    };
    const before = await userOfPerson();
    await client.call('DELETE', `/Users/${id}`);
    const again = await create({ ...names, ...facts });
    expect([again.id, await userOfPerson()]).toEqual([id, before]);
    expect(await membersNamed(again.userName)).toBe(1);
  });

  test('rejoins groups that listed its id after the deletion', async () => {
    const { id, userName } = await create();
    await client.call('DELETE', `/Users/${id}`);
    const { body } = await client.call('POST', '/Groups', {
      displayName: 'Waiting',
      members: [{ value: id }],
    });
    expect(body.members).toMatchObject([{ value: id }]);
    await create({ userName });
    expect((await client.call('GET', `/Users/${id}`)).body.groups).toMatchObject([
      { value: body.id, display: 'Waiting', type: 'direct' },
    ]);
  });
});

describe('GET /scim/v2/Users', () => {
  test('pages through all users without repeating or skipping one', async () => {
    for (let n = 0; n < 5; n += 1) await create();
    const { totalResults } = (await client.call('GET', '/Users?count=0')).body;
    const seen: string[] = [];
    for (let startIndex = 1; startIndex <= totalResults; startIndex += 2) {
      const { body } = await client.call('GET', `/Users?startIndex=${startIndex}&count=2`);
      expect(body).toMatchObject({ totalResults, startIndex, itemsPerPage: body.Resources.length });
      seen.push(...body.Resources.map(({ id }: { id: string }) => id));
    }
    expect(new Set(seen).size).toBe(totalResults);
    expect(seen).toHaveLength(totalResults);
  });

  test.each([
    ['startIndex=0&count=1', { startIndex: 1, itemsPerPage: 1 }],
    ['startIndex=-5&count=1', { startIndex: 1, itemsPerPage: 1 }],
    ['count=-1', { itemsPerPage: 0 }],
    ['startIndex=9999', { startIndex: 9999, itemsPerPage: 0, Resources: [] }],
  ])('accepts %s as RFC 7644 requires', async (query, expected) => {
    const { status, body } = await client.call('GET', `/Users?${query}`);
    expect([status, body]).toMatchObject([200, expected]);
  });

  test('shows 100 users by default, and 200 at most', async () => {
    await gateway.database.query(
      `insert into directory_people (id, organization_id, user_name, email, active, resource)
       select gen_random_uuid(), $1, 'page-' || n, 'page-' || n, false, json_build_object('userName', 'page-' || n)
       from generate_series(1, 201) n`,
      [gateway.organizationId],
    );
    expect((await client.call('GET', '/Users')).body.itemsPerPage).toBe(100);
    expect((await client.call('GET', '/Users?count=1000')).body.itemsPerPage).toBe(200);
  });

  test('filters by user name in any case, by address, id and state', async () => {
    const { id, userName } = await create({ emails: [{ value: 'work@example.com', type: 'work' }] });
    for (const filter of [
      `userName eq "${userName.toUpperCase()}"`,
      `emails[type eq "work"].value eq "work@example.com"`,
      `id eq "${id}" and active eq true`,
    ]) {
      const { body } = await client.call('GET', `/Users?filter=${encodeURIComponent(filter)}`);
      expect(body.Resources.map((one: { id: string }) => one.id)).toEqual([id]);
    }
  });

  test('finds a user beyond the first page, and beyond the first 1,000, by a filter', async () => {
    const ids = await addPeople(gateway, 1_050);
    for (const id of [ids[150], ids[1_040]]) {
      const { body } = await client.call('GET', `/Users?filter=${encodeURIComponent(`userName eq "${id}"`)}`);
      expect(body).toMatchObject({ totalResults: 1, startIndex: 1, itemsPerPage: 1, Resources: [{ id }] });
    }
  });

  test('shows only the attributes that the query selects', async () => {
    const { id, userName } = await create();
    const filter = encodeURIComponent(`id eq "${id}"`);
    const only = await client.call('GET', `/Users?filter=${filter}&attributes=userName`);
    expect(only.body.Resources).toEqual([{ schemas: expect.any(Array), id, userName }]);
    const without = await client.call('GET', `/Users/${id}?excludedAttributes=groups,meta`);
    expect(without.body).not.toHaveProperty('groups');
    expect(without.body).not.toHaveProperty('meta');
    expect(without.body).toMatchObject({ id, userName });
  });
});

describe('the users of another organization', () => {
  test('stay hidden and unchanged: every request answers 404', async () => {
    const { id, userName } = await create();
    const unknown = await stranger.call('GET', `/Users/${crypto.randomUUID()}`);
    expect(unknown.status).toBe(404);
    for (const path of [`/Users/${id}`, '/Users/no-id', `/Users/${id}x`, '/Users/%00']) {
      expect((await stranger.call('GET', path)).body).toEqual(unknown.body);
      expect((await stranger.call('DELETE', path)).status).toBe(404);
      expect((await stranger.call('PUT', path, userOf({ userName }))).status).toBe(404);
      expect((await stranger.call('PATCH', path, { Operations: [] })).status).toBe(404);
    }
    expect((await stranger.call('GET', '/Users')).body.totalResults).toBe(0);
    expect((await client.call('GET', `/Users/${id}`)).status).toBe(200);
    // The same name is free there.
    expect((await stranger.call('POST', '/Users', userOf({ userName }))).status).toBe(201);
  });
});
