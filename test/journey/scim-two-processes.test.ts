import { expect, test } from '@jest/globals';
import { type Caller, createCaller } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import type { Gateway } from '../support/gateway.ts';
import { raiseObstacle } from '../support/obstacle.ts';
import { type Replica, useReplica } from '../support/replica.ts';
import {
  addPeople,
  createScimClient,
  makeScimToken,
  memberWith,
  type ScimAnswer,
  type ScimClient,
  userOf,
} from '../support/scim.ts';

/**
 * Two APIs on one database. Each gives the requests of an organization their turn by itself, so that only Postgres
 * keeps those of both apart.
 */
let gateway: Gateway;
let replica: Replica;
let clients: [ScimClient, ScimClient];
let manager: Caller;

useReplica(async (...opened) => {
  [gateway, replica] = opened;
  const { token } = await makeScimToken(gateway);
  clients = [createScimClient(gateway, token), createScimClient(replica, token)];
  manager = createCaller(gateway.origin, gateway.managementKey);
});

async function makeGroup(members: readonly string[] = []): Promise<string> {
  const { body } = await clients[0].call('POST', '/Groups', {
    displayName: crypto.randomUUID(),
    members: members.map((value) => ({ value })),
  });
  return body.id;
}

const add = (value: string) => ({ Operations: [{ op: 'add', path: 'members', value: [{ value }] }] });

async function stateOf(id: string): Promise<{ members: string[]; etag: string | null }> {
  const { body, headers } = await clients[1].call('GET', `/Groups/${id}`);
  const members = (body.members as { value: string }[]).map(({ value }) => value).toSorted();
  return { members, etag: headers.get('etag') };
}

/** Sends one request to each API. Both are under way, and neither is committed, before either goes on. */
async function atOnce(
  table: string,
  ...requests: [(first: ScimClient) => Promise<ScimAnswer>, (second: ScimClient) => Promise<ScimAnswer>]
): Promise<number[]> {
  const obstacle = await raiseObstacle(gateway, gateway.config.database.url);
  await obstacle.table(table);
  const answers = requests.map((request, n) => request(clients[n]!));
  await eventually('two requests that wait', async () => {
    const { rowCount } = await gateway.database.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rowCount === 2 ? true : undefined;
  });
  await obstacle.lift();
  return (await Promise.all(answers)).map(({ status }) => status);
}

test('50 additions and a replacement over both APIs lose no member', async () => {
  const [people, id] = [await addPeople(gateway, 50), await makeGroup()];
  const answers = await Promise.all([
    ...people.map((person, n) => clients[n % 2]!.call('PATCH', `/Groups/${id}`, add(person))),
    clients[0].call('PUT', `/Groups/${id}`, { displayName: 'Busy' }),
  ]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await stateOf(id)).toEqual({ members: people.toSorted(), etag: 'W/"52"' });
});

test('a replacement concurrent with an addition takes effect before or after it', async () => {
  const [old, kept, added] = (await addPeople(gateway, 3)) as [string, string, string];
  const id = await makeGroup([old]);
  const displayName = crypto.randomUUID();
  const statuses = await atOnce(
    'audit_log',
    (client) => client.call('PATCH', `/Groups/${id}`, add(added)),
    (client) => client.call('PUT', `/Groups/${id}`, { displayName, members: [{ value: kept }] }),
  );
  expect(statuses).toEqual([200, 200]);
  const { members, etag } = await stateOf(id);
  expect([[kept], [kept, added].toSorted()]).toContainEqual(members);
  expect(etag).toBe('W/"3"');
});

test.each([
  ['user', '/Users', { Operations: [{ op: 'replace', path: 'nickName', value: 'A' }] }],
  ['group', '/Groups', add('somebody')],
])('one of two writers with the same version of a %s gets 412', async (_kind, folder, changes) => {
  const draft = folder === '/Users' ? userOf() : { displayName: crypto.randomUUID() };
  const { body, headers } = await clients[0].call('POST', folder, draft);
  const match = { 'if-match': headers.get('etag')! };
  const write = (client: ScimClient) => client.call('PATCH', `${folder}/${body.id}`, changes, match);
  expect((await atOnce('audit_log', write, write)).toSorted((a, b) => a - b)).toEqual([200, 412]);
});

test.each([
  ['user', '/Users', 'nickName', 'title'],
  ['group', '/Groups', 'displayName', 'externalId'],
])('two writers of different attributes of a %s keep both', async (_kind, folder, first, second) => {
  const draft = folder === '/Users' ? userOf() : { displayName: crypto.randomUUID() };
  const { id } = (await clients[0].call('POST', folder, draft)).body;
  const values = { [first]: crypto.randomUUID(), [second]: crypto.randomUUID() };
  const write = (path: string) => (client: ScimClient) =>
    client.call('PATCH', `${folder}/${id}`, {
      Operations: [{ op: 'replace', path, value: values[path] }],
    });
  expect(await atOnce('audit_log', write(first), write(second))).toEqual([200, 200]);
  expect((await clients[0].call('GET', `${folder}/${id}`)).body).toMatchObject(values);
});

test('the last two administrators, deactivated at once, leave one administrator', async () => {
  const people: { id: string; email: string }[] = [];
  for (const email of ['first@example.com', 'second@example.com']) {
    const { body } = await clients[0].call('POST', '/Users', userOf({ userName: email }));
    people.push({ id: body.id, email });
    const { id: userId } = (await memberWith(gateway, email))!;
    await gateway.database.query(`update organization_members set role = 'org:admin' where user_id = $1`, [
      userId,
    ]);
  }
  await gateway.database.query(
    `update organization_members set role = 'org:member'
     where user_id in (select id from users where email = 'owner@example.com')`,
  );
  const deactivate = (id: string) => (client: ScimClient) =>
    client.call('PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', path: 'active', value: false }] });
  const statuses = await atOnce('directory_changes', deactivate(people[0]!.id), deactivate(people[1]!.id));
  expect(statuses).toEqual([200, 200]);
  const response = await manager.call('GET', '/organization/members?limit=100');
  const { data } = (await response.json()) as { data: { email: string; role: string }[] };
  const administrators = data.filter(({ role }) => role === 'org:admin');
  expect(administrators).toHaveLength(1);
  expect(people.map(({ email }) => email)).toContain(administrators[0]!.email);
});
