import pg from 'pg';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newToken } from '../../services/accounts/identity/key-token.ts';
import { newScimToken } from '../../services/directory/tokens/new-scim-token.ts';
import { addKey } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { callFrom, type LoopbackAnswer } from '../support/loopback-callers.ts';
import { makeScimToken } from '../support/scim.ts';

/** The address of a tenant. Each test has other strangers, because wrong keys count for a minute. */
const TENANT = '127.0.0.1';
const PROXY = '127.0.3.1';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { TRUSTED_PROXIES: `${PROXY},127.0.3.2` } });
  // Keys are cached for longer than a second only while their changes are heard.
  await eventually('the listener', async () => {
    const { rowCount } = await gateway.database.query(
      `select from pg_stat_activity where datname = current_database() and state = 'idle'
         and application_name = 'sluice-listener' and query like 'listen %'`,
    );
    return rowCount === 0 ? undefined : true;
  });
});
afterAll(() => gateway.close());

function read(
  address: string,
  token: string,
  headers: Record<string, string> = {},
  path = '/api/v1/workspaces',
): Promise<LoopbackAnswer> {
  return callFrom(address, `${gateway.origin}${path}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
}

async function statusesOf(answers: Promise<LoopbackAnswer>[]): Promise<number[]> {
  return (await Promise.all(answers)).map(({ status }) => status);
}

/** Sends so many wrong keys from an address, one after the other. */
async function sendWrongKeys(address: string, times: number, headers?: Record<string, string>) {
  const statuses = [];
  for (let n = 0; n < times; n += 1) statuses.push((await read(address, newToken().token, headers)).status);
  return statuses;
}

/** Locks all keys while the work runs, so that look-ups wait. */
async function whileKeysAreLocked(work: () => Promise<void>): Promise<void> {
  const holder = new pg.Client({ connectionString: gateway.config.database.url });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('lock table api_keys in access exclusive mode');
    await work();
  } finally {
    await holder.end();
  }
}

test('look-ups of wrong keys take no connection from requests with known keys', async () => {
  const { managementKey } = gateway;
  expect((await read(TENANT, managementKey)).status).toBe(200);
  const wrong: Promise<LoopbackAnswer>[] = [];
  await whileKeysAreLocked(async () => {
    wrong.push(...Array.from({ length: 40 }, () => read('127.0.1.1', newToken().token)));
    const lookUps = await eventually('eight look-ups', async () => {
      const { rows } = await gateway.database.query<{ name: string }>(
        `select application_name as name from pg_stat_activity join pg_locks using (pid)
         where relation = 'api_keys'::regclass and not granted`,
      );
      return rows.length >= 8 ? rows : undefined;
    });
    const answers = Array.from({ length: 20 }, () => read(TENANT, managementKey));
    expect(await statusesOf(answers)).toEqual(Array(20).fill(200));
    expect(lookUps.map(({ name }) => name)).toEqual(Array(8).fill('sluice-unknown-keys'));
  });
  expect(await statusesOf(wrong)).toEqual(Array(40).fill(401));
});

test('an address with fifty wrong keys gets 429 for keys unknown to the process', async () => {
  const address = '127.0.1.2';
  const management = await addKey(gateway, { kind: 'management' });
  expect(await sendWrongKeys(address, 51)).toEqual([...Array(50).fill(401), 429]);
  const refused = await read(address, management.token);
  expect(refused.status).toBe(429);
  const { error } = JSON.parse(refused.body);
  expect(error).toMatchObject({
    code: 429,
    message: 'Rate limit exceeded',
    metadata: { reason: 'too_many_wrong_keys', retryable: true },
  });
  expect(refused.headers['retry-after']).toBe(`${error.metadata.retry_after_seconds}`);
  // The key is valid, and known once an address without wrong keys has used it.
  expect((await read(TENANT, management.token)).status).toBe(200);
  expect((await read(address, management.token)).status).toBe(200);
});

test('a known key stays known when its row changes', async () => {
  const address = '127.0.1.3';
  const management = await addKey(gateway, { kind: 'management' });
  expect((await read(TENANT, management.token)).status).toBe(200);
  await sendWrongKeys(address, 50);
  await gateway.database.query(`update api_keys set name = 'Changed' where hash = $1`, [management.hash]);
  expect((await read(address, management.token)).status).toBe(200);
});

test('SCIM tokens and keys in other headers count as wrong keys as well', async () => {
  const address = '127.0.1.4';
  const { token } = await makeScimToken(gateway);
  const scim = (from: string, scimToken: string) => read(from, scimToken, {}, '/api/v1/scim/v2/Users');
  for (let n = 0; n < 30; n += 1) expect((await scim(address, newScimToken().token)).status).toBe(401);
  expect(await sendWrongKeys(address, 20)).toEqual(Array(20).fill(401));
  const refused = await scim(address, token);
  expect(refused.status).toBe(429);
  expect(JSON.parse(refused.body)).toMatchObject({ status: '429' });
  expect((await scim(TENANT, token)).status).toBe(200);
  expect((await scim(address, token)).status).toBe(200);
  const inOtherHeader = await callFrom(address, `${gateway.origin}/api/v1/workspaces`, {
    headers: { 'x-api-key': newToken().token },
  });
  expect(inOtherHeader.status).toBe(429);
});

test("another service's token beside a known key does not count", async () => {
  const address = '127.0.1.7';
  const headers = { 'x-api-key': gateway.managementKey };
  for (let n = 0; n < 60; n += 1) expect((await read(address, newToken().token, headers)).status).toBe(200);
  expect(await sendWrongKeys(address, 1)).toEqual([401]);
});

test('wrong keys behind a trusted proxy count for the address that the proxy names', async () => {
  const by = (caller: string) => ({ 'x-forwarded-for': `198.51.100.1, ${caller}, 127.0.3.2` });
  expect(await sendWrongKeys(PROXY, 51, by('203.0.113.1'))).toEqual([...Array(50).fill(401), 429]);
  expect(await sendWrongKeys(PROXY, 1, by('203.0.113.2'))).toEqual([401]);
});

test('an untrusted caller cannot send wrong keys in the name of another address', async () => {
  const [stranger, victim] = ['127.0.1.5', '127.0.1.6'];
  await sendWrongKeys(stranger, 50, { 'x-forwarded-for': victim, forwarded: `for=${victim}` });
  expect(await sendWrongKeys(stranger, 1)).toEqual([429]);
  expect(await sendWrongKeys(victim, 1)).toEqual([401]);
});

test('a new key is found while many addresses send wrong keys', async () => {
  const management = await addKey(gateway, { kind: 'management' });
  const wrong = Array.from({ length: 1_000 }, (_, n) => read(`127.0.2.${n % 20}`, newToken().token));
  expect((await read(TENANT, management.token)).status).toBe(200);
  expect(new Set(await statusesOf(wrong))).toEqual(new Set([401]));
});
