import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { migrate, UnreleasedSchemaError } from '../../db/migrate.ts';
import { bringUpSchema } from '../../dev/stack/data-services.ts';
import { runAdminProcess } from '../support/admin.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let client: pg.Client;

/** Makes a database that names migrations from before they were squashed. */
beforeEach(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('delete from knex_migrations');
  await client.query(
    `insert into knex_migrations (name, batch, migration_time)
     values ('20260101000000_create_accounts', 1, now()), ('20260116000000_create_interns', 2, now())`,
  );
});

afterEach(async () => {
  await client.end();
  await database.drop();
});

/** Returns the names of applied migrations and of all tables. */
async function contents(): Promise<unknown[][]> {
  const applied = await client.query('select name from knex_migrations order by id');
  const tables = await client.query(`select tablename from pg_tables where schemaname = 'public' order by 1`);
  return [applied.rows, tables.rows];
}

test('migrate refuses a database from before the squash and leaves it unchanged', async () => {
  const before = await contents();
  await expect(migrate(database.url)).rejects.toThrow(UnreleasedSchemaError);
  expect(await contents()).toEqual(before);
});

test('npm run migrate exits 2 and says in one sentence what to remove', async () => {
  expect(await runAdminProcess(['migrate'], { DATABASE_URL: database.url })).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'This database was made by an unreleased version and cannot be upgraded: if npm start made it, remove the folder ' +
      '.data (or DATA_DIR) and start again; otherwise drop the database and create an empty one.\n',
  });
});

test.each([
  ['its data folder', undefined, 'remove the folder /home/me/sluice/.data and start again'],
  [
    'the database of DATABASE_URL',
    'postgres://elsewhere/sluice',
    'drop the database of DATABASE_URL, create an empty one and start again',
  ],
])('npm start refuses an unreleased schema and says to remove %s', async (_, databaseUrl, whatToDo) => {
  const settings = {
    dataDir: '/home/me/sluice/.data',
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
  };
  await expect(bringUpSchema(settings, database.url)).rejects.toThrow(
    `The database was made by an unreleased version and cannot be upgraded: ${whatToDo}.`,
  );
});
