import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import type { DevFile } from '../../dev/stack/dev-file.ts';
import { seed } from '../../dev/stack/seed.ts';
import { type Config, loadConfig } from '../../platform/config.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';

let testDatabase: TestDatabase;
let database: pg.Pool;
let config: Config;

beforeEach(async () => {
  testDatabase = await createMigratedDatabase();
  database = new pg.Pool({ connectionString: testDatabase.url, max: 1 });
  database.on('error', () => {});
  config = loadConfig({
    SLUICE_ENV: 'test',
    DATABASE_URL: testDatabase.url,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    OBJECT_STORE: 'file:///nowhere',
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
  });
});

afterEach(async () => {
  await database.end();
  await testDatabase.drop();
});

async function entitlements(): Promise<string[][]> {
  const { rows } = await database.query<{ entitlements: string[] }>('select entitlements from organizations');
  return rows.map((row) => row.entitlements);
}

test('seed gives a new organization private endpoints and interns', async () => {
  await seed(config, undefined);
  expect(await entitlements()).toEqual([['private_endpoints', 'interns']]);
});

test('seed gives an existing organization the entitlements, and keeps its keys', async () => {
  const first = await seed(config, undefined);
  for (const earlier of [first as DevFile, undefined]) {
    await database.query(`update organizations set entitlements = '{}'`);
    const next = await seed(config, earlier);
    expect(next.organization_id).toBe(first.organization_id);
    expect(next.api_key === first.api_key).toBe(earlier !== undefined);
    expect(await entitlements()).toEqual([['private_endpoints', 'interns']]);
  }
});
