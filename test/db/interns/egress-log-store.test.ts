import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { createDatabase, type Database } from '../../support/open-database.ts';
import {
  createEgressLogStore,
  type EgressEntry,
  type EgressLogStore,
} from '../../../db/interns/egress-log-store.ts';
import { EGRESS_RETENTION_MS } from '../../../domain/interns/egress.ts';
import { newUuid } from '../../../domain/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let testDatabase: TestDatabase;
let pool: pg.Pool;
let database: Database;
let store: EgressLogStore;
let organizationId: string;
let internId: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  pool = new pg.Pool({ connectionString: testDatabase.url, max: 1 });
  database = createDatabase({ url: testDatabase.url, poolMax: 1 });
  store = createEgressLogStore(database.knex);
});

afterAll(async () => {
  await pool.end();
  await database.close();
  await testDatabase.drop();
});

beforeEach(async () => {
  organizationId = newUuid();
  const workspaceId = newUuid();
  internId = newUuid();
  await pool.query('truncate egress_log');
  await pool.query(
    `insert into organizations (id, name, entitlements) values ($1, 'An organization', '{}')`,
    [organizationId],
  );
  await pool.query(
    `insert into workspaces (id, organization_id, name, slug, is_default) values ($1, $2, 'W', 'w', true)`,
    [workspaceId, organizationId],
  );
  await pool.query(
    `insert into interns (id, organization_id, workspace_id, creator, name, request_hash)
     values ($1, $2, $3, 'somebody', 'Ada', '')`,
    [internId, organizationId, workspaceId],
  );
});

const entry = (facts: Partial<EgressEntry> = {}): EgressEntry => ({
  internId,
  keyHash: 'hash',
  method: 'GET',
  host: 'api.example.com',
  names: ['a', 'b'],
  ...facts,
});

const list = (limit = 10, before?: string) => store.list(internId, { limit, before });

test('the egress log lists its entries newest first', async () => {
  const ids = await store.insert([entry({ host: 'one' }), entry({ host: 'two', names: ['c'] })]);
  expect(await list()).toEqual([
    expect.objectContaining({ id: ids[1], host: 'two', names: ['c'], status: null, bytes: null }),
    expect.objectContaining({ id: ids[0], host: 'one', names: ['a', 'b'], keyHash: 'hash', method: 'GET' }),
  ]);
  expect(await list(10, ids[1]!)).toEqual([expect.objectContaining({ host: 'one' })]);
  expect(await list(1)).toHaveLength(1);
});

test('the egress log skips an entry of a deleted intern and writes the others', async () => {
  const [gone, there] = await store.insert([entry({ internId: newUuid() }), entry()]);
  expect(gone).toBeNull();
  expect(await list()).toEqual([expect.objectContaining({ id: there })]);
});

test('the egress log completes entries without a status and with 2^40 bytes', async () => {
  const ids = (await store.insert([entry(), entry()])) as string[];
  await store.complete([
    { internId, id: ids[0]!, status: 404, bytes: 2 ** 40 },
    { internId, id: ids[1]!, status: null, bytes: 0 },
  ]);
  expect(await list()).toMatchObject([
    { id: ids[1], status: null, bytes: 0 },
    { id: ids[0], status: 404, bytes: 2 ** 40 },
  ]);
});

test('completing entries of a long egress log takes no sequential scan', async () => {
  const scans = async (): Promise<number> => {
    await database.knex.raw('select pg_stat_force_next_flush()');
    const { rows } = await database.knex.raw(
      `select seq_scan::int scans from pg_stat_user_tables where relname = 'egress_log'`,
    );
    return rows[0].scans;
  };
  const end = (id: string | null) => ({ internId, id: id!, status: 200, bytes: 1 });
  for (let n = 0; n < 10; n += 1) await store.complete((await store.insert([entry()])).map(end));
  await pool.query(
    `insert into egress_log (organization_id, intern_id, key_hash, method, host, names)
     select $1, $2, 'hash', 'GET', 'host', '{}' from generate_series(1, 50000)`,
    [organizationId, internId],
  );
  const ids = await store.insert(Array.from({ length: 100 }, () => entry()));
  const before = await scans();
  await store.complete(ids.map(end));
  expect(await scans()).toBe(before);
  expect(await list(1)).toEqual([expect.objectContaining({ id: ids[99], status: 200 })]);
});

test('the egress log deletes entries after 30 days in pages', async () => {
  const [young, ...old] = (await store.insert([entry(), entry(), entry(), entry()])) as string[];
  await pool.query(
    `update egress_log set created_at = now() - interval '30 days 1 minute' where id = any($1)`,
    [old],
  );
  await pool.query(`update egress_log set created_at = now() - interval '29 days 23 hours' where id = $1`, [
    young,
  ]);
  expect(await store.deleteOld(EGRESS_RETENTION_MS, 2)).toBe(2);
  expect(await store.deleteOld(EGRESS_RETENTION_MS, 2)).toBe(1);
  expect(await list()).toEqual([expect.objectContaining({ id: young })]);
});
