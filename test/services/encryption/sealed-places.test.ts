import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDatabase, type Database } from '../../support/open-database.ts';
import { ENDING_PLACES, SEALED_PLACES } from '../../../services/encryption/sealed-places.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 1 });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const KNOWN = [...SEALED_PLACES, ...ENDING_PLACES].map(({ table, column }) => `${table}.${column}`);

/** Names of columns that can hold a secret. Partitions repeat the columns of their table. */
async function columnsLikeSecrets(): Promise<string[]> {
  const { rows } = await database.knex.raw<{ rows: { name: string }[] }>(
    `select t.relname || '.' || a.attname as name
     from pg_attribute a join pg_class t on t.oid = a.attrelid
     where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
       and a.attnum > 0 and not a.attisdropped
       and format_type(a.atttypid, null) in ('text', 'bytea', 'json', 'jsonb', 'character varying', 'text[]')
       and a.attname ~* 'seal|secret|encrypt|cipher|wrapped|credential'`,
  );
  return rows.map(({ name }) => name);
}

test('every column named like a secret is re-wrapped or counted by the rotation', async () => {
  expect((await columnsLikeSecrets()).toSorted()).toEqual(KNOWN.toSorted());
});

test('the search for secret columns finds a new one', async () => {
  await database.knex.raw('create table vault (id uuid primary key, api_secret text)');
  expect(await columnsLikeSecrets()).toContain('vault.api_secret');
  await database.knex.raw('drop table vault');
});
