import { describe, expect, test } from '@jest/globals';
import { addOrganization } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import type { Gateway } from '../support/gateway.ts';
import { addPeople, mapGroup, type ScimClient, strangerTo, userOf, useScim } from '../support/scim.ts';

let gateway: Gateway;
let client: ScimClient;
let stranger: ScimClient;

useScim(async (...opened) => {
  [gateway, client] = opened;
  stranger = await strangerTo(gateway, await addOrganization(gateway));
});

async function makeUser(): Promise<string> {
  return (await client.call('POST', '/Users', userOf())).body.id;
}

async function makeGroup(members: string[] = [], facts: object = {}): Promise<string> {
  const { status, body } = await client.call('POST', '/Groups', {
    displayName: crypto.randomUUID(),
    members: members.map((value) => ({ value })),
    ...facts,
  });
  expect(status).toBe(201);
  return body.id;
}

async function membersOf(id: string): Promise<string[]> {
  const { body } = await client.call('GET', `/Groups/${id}`);
  return body.members.map(({ value }: { value: string }) => value).toSorted();
}

const patch = (id: string, ...operations: object[]) =>
  client.call('PATCH', `/Groups/${id}`, { Operations: operations });

const add = (...values: string[]) => ({
  op: 'add',
  path: 'members',
  value: values.map((value) => ({ value })),
});

describe('a created group', () => {
  test('has a complete answer, with Location, ETag and members', async () => {
    const user = await makeUser();
    const sent = { displayName: 'Research', externalId: 'ext-research', members: [{ value: user }] };
    const { status, headers, body } = await client.call('POST', '/Groups', sent);
    const base = 'https://gateway.example/api/v1/scim/v2';
    expect([status, headers.get('location'), headers.get('etag')]).toEqual([
      201,
      `${base}/Groups/${body.id}`,
      'W/"1"',
    ]);
    expect(body).toEqual({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      id: expect.any(String),
      displayName: 'Research',
      externalId: 'ext-research',
      members: [{ value: user, $ref: `${base}/Users/${user}`, type: 'User' }],
      meta: expect.objectContaining({ resourceType: 'Group', version: 'W/"1"' }),
    });
    expect((await client.call('GET', `/Groups/${body.id}`)).body).toEqual(body);
    expect(await auditRows(gateway, `scim/v2/Groups/${body.id}`)).toMatchObject([
      { action: 'createProvisionedGroup' },
    ]);
  });

  test('refuses with 409 another group with its name in any case', async () => {
    await makeGroup([], { displayName: 'Taken' });
    const refused = await client.call('POST', '/Groups', { displayName: 'tAKEN' });
    expect([refused.status, refused.body.scimType]).toEqual([409, 'uniqueness']);
    const other = await makeGroup();
    const renamed = await patch(other, { op: 'replace', path: 'displayName', value: 'TAKEN' });
    expect([renamed.status, renamed.body.scimType]).toEqual([409, 'uniqueness']);
  });

  test('shows unknown members by their value, and ignores nested groups', async () => {
    const inner = await makeGroup();
    const outer = await makeGroup([], {
      members: [{ value: 'nobody-known' }, { value: inner, type: 'Group' }],
    });
    expect(await membersOf(outer)).toEqual(['nobody-known']);
  });
});

describe('a patched group', () => {
  test('answers with version and members, or 204 with more than 100 members', async () => {
    const [first, ...people] = await addPeople(gateway, 101);
    const id = await makeGroup(people);
    const small = await patch(id, { op: 'replace', path: 'displayName', value: 'Few' });
    expect([small.status, small.headers.get('etag')]).toEqual([200, 'W/"2"']);
    expect(small.body).toEqual((await client.call('GET', `/Groups/${id}`)).body);
    expect(small.body).toMatchObject({ displayName: 'Few', members: { length: 100 } });
    const large = await patch(id, add(first!));
    expect([large.status, large.headers.get('etag'), large.body]).toEqual([204, 'W/"3"', undefined]);
  });

  test.each([
    ['attributes=members', ['schemas', 'id', 'members']],
    ['excludedAttributes=members,meta', ['schemas', 'id', 'displayName']],
  ])('answers with the attributes of the query, even for 102 members: %s', async (query, names) => {
    const [first, ...people] = await addPeople(gateway, 102);
    const id = await makeGroup(people);
    const asked = await client.call('PATCH', `/Groups/${id}?${query}`, { Operations: [add(first!)] });
    expect([asked.status, Object.keys(asked.body)]).toEqual([200, names]);
  });

  test('gets one new version a request, and none when nothing changes', async () => {
    const [a, b, id] = [await makeUser(), await makeUser(), await makeGroup()];
    const many = await patch(id, add(a), add(b), { op: 'replace', path: 'displayName', value: 'Renamed' });
    expect(many.headers.get('etag')).toBe('W/"2"');
    const none = await patch(id, add(a, b), { op: 'remove', path: 'members[value eq "someone-else"]' });
    expect([none.status, none.headers.get('etag')]).toEqual([200, 'W/"2"']);
    expect(await membersOf(id)).toEqual([a, b].toSorted());
  });

  test('lists a member once who was added twice', async () => {
    const [user, id] = [await makeUser(), await makeGroup()];
    await patch(id, add(user, user.toUpperCase()), add(user));
    expect(await membersOf(id)).toEqual([user]);
  });

  test.each<[string, object[]]>([
    ['is renamed', [{ op: 'replace', value: { id: 'x', displayName: 'Only renamed' } }]],
    ['has no operations', []],
    ['names an empty list to add', [{ op: 'add', path: 'members', value: [] }]],
    ['names an empty list to remove', [{ op: 'remove', path: 'members', value: [] }]],
    ['removes somebody else', [{ op: 'remove', path: 'members[value eq "x"]' }]],
    ['removes a list of somebody else', [{ op: 'Remove', path: 'members', value: [{ value: 'x' }] }]],
  ])('keeps its members when it %s', async (_what, operations) => {
    const users = [await makeUser(), await makeUser()];
    const id = await makeGroup(users);
    expect((await patch(id, ...operations)).status).toBe(200);
    expect(await membersOf(id)).toEqual(users.toSorted());
  });

  test.each<[string, unknown]>([
    ['nothing', [{}]],
    ['null', [{ value: null }]],
    ['an empty text', [{ value: '' }]],
    ['an object', [{ value: { eq: 'x' } }]],
    ['a list', [[]]],
    ['true', [true]],
  ])('answers 400 and keeps its members when a removal names %s', async (_what, value) => {
    const users = [await makeUser(), await makeUser()];
    const id = await makeGroup(users);
    expect((await patch(id, { op: 'remove', path: 'members', value })).status).toBe(400);
    expect(await membersOf(id)).toEqual(users.toSorted());
  });

  test.each<[string, string]>([
    ['a wildcard', '%'],
    ['a quote', `' or '1'='1`],
    ['an array', '{}'],
    ['a longer id', '00000000-0000-0000-0000-000000000000,x'],
  ])('keeps its members when a removal names %s', async (_what, value) => {
    const users = [await makeUser()];
    const id = await makeGroup(users);
    expect((await patch(id, { op: 'remove', path: 'members', value: [{ value }] })).status).toBe(200);
    expect(await membersOf(id)).toEqual(users);
  });

  test('shows an empty list when its last member is removed', async () => {
    const user = await makeUser();
    const id = await makeGroup([user]);
    const { status, body } = await patch(id, { op: 'remove', path: `members[value eq "${user}"]` });
    expect([status, body.members]).toEqual([200, []]);
    expect((await client.call('GET', `/Groups/${id}`)).body.members).toEqual([]);
  });

  test('loses a member who is added by one id and then removed by another', async () => {
    const [user, id] = [await makeUser(), await makeGroup()];
    await gateway.database.query('update directory_people set source_id = $2 where id = $1', [
      user,
      'id-at-the-source',
    ]);
    const remove = { op: 'remove', path: 'members[value eq "id-at-the-source"]' };
    await patch(id, add(user), remove);
    expect(await membersOf(id)).toEqual([]);
    await patch(id, add('id-at-the-source'), { op: 'remove', path: `members[value eq "${user}"]` });
    expect(await membersOf(id)).toEqual([]);
    await patch(id, remove, add(user));
    expect(await membersOf(id)).toEqual([user]);
  });

  test('stays unchanged when one of its operations is refused', async () => {
    const [user, id] = [await makeUser(), await makeGroup()];
    const refused = await patch(id, add(user), { op: 'remove', path: 'displayName' });
    expect(refused.status).toBe(400);
    expect(await membersOf(id)).toEqual([]);
    expect((await client.call('GET', `/Groups/${id}`)).headers.get('etag')).toBe('W/"1"');
  });

  test('loses no member to 50 concurrent additions or a concurrent replacement', async () => {
    const users = await addPeople(gateway, 51);
    const id = await makeGroup();
    const [first, ...others] = users;
    const answers = await Promise.all([
      ...others.map((user) => patch(id, add(user))),
      client.call('PUT', `/Groups/${id}`, { displayName: 'Busy' }),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await membersOf(id)).toEqual(others.toSorted());
    const [replaced, patched] = await Promise.all([
      client.call('PUT', `/Groups/${id}`, { displayName: 'Busy', members: [{ value: others[0] }] }),
      patch(id, add(first!)),
    ]);
    expect([replaced.status, patched.status]).toEqual([200, 200]);
    const left = await membersOf(id);
    expect(left).toContain(others[0]);
    expect([others[0], first]).toEqual(expect.arrayContaining(left));
    // Whichever came first, the version counts all of them: 50 additions, a renaming and two more.
    const { headers } = await client.call('GET', `/Groups/${id}`);
    expect(headers.get('etag')).toBe('W/"54"');
  });
});

describe('a replaced group', () => {
  test('keeps its external id if the request omits it', async () => {
    const id = await makeGroup([], { externalId: 'kept' });
    const { status, body } = await client.call('PUT', `/Groups/${id}`, { displayName: 'Known as before' });
    expect([status, body.displayName, body.externalId]).toEqual([200, 'Known as before', 'kept']);
    const other = await client.call('PUT', `/Groups/${id}`, { displayName: 'Moved', externalId: 'other' });
    expect(other.body.externalId).toBe('other');
  });

  test("takes the request's members, or keeps its own if the request omits them", async () => {
    const [a, b, c] = [await makeUser(), await makeUser(), await makeUser()];
    const id = await makeGroup([a, b]);
    const members = [{ value: b }, { value: c }];
    const { status, body } = await client.call('PUT', `/Groups/${id}`, { displayName: 'Replaced', members });
    expect([status, body.displayName]).toEqual([200, 'Replaced']);
    expect(await membersOf(id)).toEqual([b, c].toSorted());
    await client.call('PUT', `/Groups/${id}`, { displayName: 'Replaced again' });
    expect(await membersOf(id)).toEqual([b, c].toSorted());
    await client.call('PUT', `/Groups/${id}`, { displayName: 'Emptied', members: [] });
    expect(await membersOf(id)).toEqual([]);
  });
});

describe('a deleted group', () => {
  test('answers 404, loses its mappings and frees its name', async () => {
    const user = await makeUser();
    const id = await makeGroup([user], { displayName: 'Short-lived' });
    await mapGroup(gateway, id, gateway.workspaceId, 'admin');
    expect((await client.call('DELETE', `/Groups/${id}`)).status).toBe(204);
    for (const method of ['GET', 'DELETE']) {
      expect((await client.call(method, `/Groups/${id}`)).status).toBe(404);
    }
    expect((await patch(id, add(user))).status).toBe(404);
    expect((await client.call('GET', `/Users/${user}`)).body.groups).toEqual([]);
    const { rows } = await gateway.database.query('select 1 from directory_mappings where group_id = $1', [
      id,
    ]);
    expect(rows).toEqual([]);
    await makeGroup([], { displayName: 'Short-lived' });
  });
});

describe('GET /scim/v2/Groups', () => {
  test('finds a group by its name in any case, and omits excluded members', async () => {
    const id = await makeGroup([await makeUser()], { displayName: 'Findable' });
    const filter = encodeURIComponent('displayName eq "findable"');
    const full = await client.call('GET', `/Groups?filter=${filter}`);
    expect(full.body).toMatchObject({ totalResults: 1, Resources: [{ id, members: [{}] }] });
    const lean = await client.call('GET', `/Groups?filter=${filter}&excludedAttributes=members`);
    expect(lean.body.Resources[0]).not.toHaveProperty('members');
  });
});

describe('the groups of another organization', () => {
  test('answer 404, and their people cannot become members', async () => {
    const [user, id] = [await makeUser(), await makeGroup()];
    const unknown = await stranger.call('GET', `/Groups/${crypto.randomUUID()}`);
    expect(unknown.status).toBe(404);
    for (const path of [`/Groups/${id}`, '/Groups/no-id']) {
      expect((await stranger.call('GET', path)).body).toEqual(unknown.body);
      expect((await stranger.call('DELETE', path)).status).toBe(404);
      expect((await stranger.call('PATCH', path, { Operations: [] })).status).toBe(404);
      expect((await stranger.call('PUT', path, { displayName: 'x' })).status).toBe(404);
    }
    expect((await stranger.call('GET', '/Groups')).body.totalResults).toBe(0);
    const own = await stranger.call('POST', '/Groups', { displayName: 'Own', members: [{ value: user }] });
    expect(own.status).toBe(201);
    expect((await client.call('GET', `/Users/${user}`)).body.groups).toEqual([]);
  });
});
