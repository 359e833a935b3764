import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { addKey, type IssuedKey } from '../support/accounts.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { userOf as userOfPerson } from '../support/directory.ts';
import { eventually } from '../support/eventually.ts';
import type { Gateway } from '../support/gateway.ts';
import { makeIntern, makeInternKey, startInternGateway, type WireIntern } from '../support/interns.ts';
import { madeOf, statusesBecome, statusOf } from '../support/keys.ts';
import { createScimClient, makeScimToken, type ScimClient, userOf } from '../support/scim.ts';

let gateway: Gateway;
let manager: Caller;
let client: ScimClient;
/** Somebody with a key that an operator made for them: it names them, and has no creator. */
let person: { id: string; userName: string };
let personal: IssuedKey;
let caller: Caller;
let intern: WireIntern;

beforeAll(async () => {
  gateway = await startInternGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
  client = createScimClient(gateway, (await makeScimToken(gateway)).token);
});

afterAll(() => gateway.close());

beforeEach(async () => {
  person = (await client.call('POST', '/Users', userOf())).body;
  personal = await addKey(gateway, { identitySubject: person.userName });
  caller = createCaller(gateway.origin, personal.token);
  intern = await makeIntern(caller);
});

async function leave(): Promise<void> {
  expect((await client.call('DELETE', `/Users/${person.id}`)).status).toBe(204);
}

const postKey = (): Promise<Response> =>
  caller.call('POST', `/interns/${intern.id}/keys`, { body: { name: 'A key' } });

async function enabledKeys(): Promise<string[]> {
  const { rows } = await gateway.database.query<{ hash: string }>(
    'select hash from api_keys where intern_id = $1 and not disabled',
    [intern.id],
  );
  return rows.map(({ hash }) => hash);
}

describe("an intern's key", () => {
  test('gets 401 on every path once the person whose key made it leaves', async () => {
    const { token } = await makeInternKey(caller, intern.id);
    const own = createCaller(gateway.origin, token);
    expect((await own.call('GET', '/key')).status).toBe(200);
    await leave();
    await statusesBecome(gateway, [personal.token, token], 401);
    const body = { value: 'a value', hosts: ['api.example.com'] };
    expect((await own.call('GET', '/key')).status).toBe(401);
    expect((await own.call('PUT', `/vault/interns/${intern.id}/secrets/a`, { body })).status).toBe(401);
    expect((await own.call('GET', `/interns/${intern.id}`)).status).toBe(401);
  });

  test('gets 401 once the person whose management key made it leaves', async () => {
    const { token: management } = await addKey(gateway, {
      kind: 'management',
      identitySubject: person.userName,
    });
    const { token } = await makeInternKey(createCaller(gateway.origin, management), intern.id);
    await leave();
    await statusesBecome(gateway, [management, token], 401);
  });

  test('stays valid in mode "identified" only if its maker\'s key names nobody', async () => {
    const source = { type: 'pushed', scim_disable_keys: 'identified' };
    expect((await manager.call('PUT', '/scim/source', { body: source })).status).toBe(200);
    const creatorUserId = await userOfPerson(gateway, person.id);
    const made = await addKey(gateway, { creatorUserId });
    const { token: kept } = await makeInternKey(createCaller(gateway.origin, made.token), intern.id);
    const { token: lost } = await makeInternKey(caller, intern.id);
    await leave();
    await statusesBecome(gateway, [personal.token, lost], 401);
    expect(await statusOf(gateway, kept)).toBe(200);
    const all = { type: 'pushed', scim_disable_keys: 'all' };
    expect((await manager.call('PUT', '/scim/source', { body: all })).status).toBe(200);
  });
});

describe("a request for an intern's key while the directory changes", () => {
  let holder: pg.PoolClient;

  beforeEach(async () => {
    holder = await gateway.database.connect();
    await holder.query('begin');
    await holder.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `members ${gateway.organizationId}`,
    ]);
  });

  const release = () => holder.query('commit');

  afterEach(async () => {
    // Nothing waits for it after a test that failed, either.
    await release();
    holder.release();
  });

  const untilWaiting = (count: number): Promise<true> =>
    eventually(`${count} waiting for the directory`, async () => {
      const { rows } = await gateway.database.query(
        `select from pg_locks l join pg_database d on d.oid = l.database
         where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`,
      );
      return rows.length === count ? true : undefined;
    });

  test('answers 401 and makes no key when its caller leaves first', async () => {
    const leaving = leave();
    await untilWaiting(1);
    const posting = postKey();
    await untilWaiting(2);
    await release();
    await leaving;
    expect((await posting).status).toBe(401);
    expect(await enabledKeys()).toEqual([]);
  });

  test('makes a key that is disabled when its caller leaves next', async () => {
    const posting = postKey();
    await untilWaiting(1);
    const leaving = leave();
    await untilWaiting(2);
    await release();
    const { token } = await madeOf(await posting);
    await leaving;
    expect(await enabledKeys()).toEqual([]);
    await statusesBecome(gateway, [token], 401);
  });

  test('leaves connections to other requests while 30 of its kind wait', async () => {
    const posting = Array.from({ length: 30 }, postKey);
    await untilWaiting(1);
    for (let n = 0; n < 10; n += 1) {
      expect((await manager.call('GET', `/interns/${intern.id}`)).status).toBe(200);
    }
    await untilWaiting(1);
    await release();
    expect((await Promise.all(posting)).map(({ status }) => status)).toEqual(posting.map(() => 201));
  });
});
