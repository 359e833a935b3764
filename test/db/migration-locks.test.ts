import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Knex } from 'knex';
import pg from 'pg';
import { createDatabase, rowsOf } from '../../db/connection.ts';
import { migrate } from '../../db/migrate.ts';
import { createBareDatabase, createTestDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

const FOLDER = new URL('../../migrations/', import.meta.url);
/** Of thousands of rows where others have millions: what is done to them is done at once. */
const SMALL = ['organizations', 'workspaces', 'users', 'api_keys', 'providers', 'models', 'endpoints'];

interface Migration {
  config?: { transaction: boolean };
  up(knex: Knex): Promise<void>;
}

const clients: pg.Client[] = [];
let database: TestDatabase | undefined;
beforeEach(() => {
  database = undefined;
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end()));
  await database?.drop();
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database!.url });
  await client.connect();
  clients.push(client);
  return client;
}

/** By table: the file that holds its rows, which a rewrite replaces. */
async function filesOf(knex: Knex): Promise<Map<string, string>> {
  const rows = await rowsOf<{ name: string; file: string }>(
    knex,
    `select relname name, relfilenode::text file from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
    [],
  );
  return new Map(rows.map(({ name, file }) => [name, file]));
}

/** The tables that were there before, and that the migration read in full while nobody could write to them. */
async function standstills(knex: Knex, { up }: Migration): Promise<string[]> {
  return knex.transaction(async (transaction) => {
    const before = await filesOf(transaction);
    await up(transaction);
    const after = await filesOf(transaction);
    const indexed = await rowsOf<{ name: string }>(
      transaction,
      `select relation::regclass::text name from pg_locks
       where pid = pg_backend_pid() and locktype = 'relation' and mode = 'ShareLock'`,
      [],
    );
    const rewritten = [...after].filter(([name, file]) => before.has(name) && before.get(name) !== file);
    return [...indexed.map(({ name }) => name), ...rewritten.map(([name]) => name)].filter(
      (name) => before.has(name) && !SMALL.includes(name),
    );
  });
}

test('no migration reads a large table while writers wait, but for the one that makes the ledger anew', async () => {
  database = await createBareDatabase();
  const { knex, close } = createDatabase({ url: database.url, poolMax: 1 });
  const found: string[] = [];
  const statements: string[] = [];
  knex.on('query', ({ sql }: { sql: string }) => statements.push(sql));
  for (const file of (await readdir(FOLDER)).filter((name) => /^\d{14}_/.test(name)).toSorted()) {
    const migration = (await import(new URL(file, FOLDER).href)) as Migration;
    if (migration.config?.transaction !== false) {
      found.push(...(await standstills(knex, migration)).map((table) => `${file} ${table}`));
      continue;
    }
    statements.length = 0;
    await migration.up(knex);
    const careless = statements.filter((sql) => /(create|drop) (unique )?index (?!concurrently)/.test(sql));
    found.push(...careless.map((sql) => `${file} ${sql}`));
  }
  await close();
  expect(found.toSorted()).toEqual([
    '20260105000000_widen_generations.ts generation_details',
    '20260105000000_widen_generations.ts generations',
  ]);
});

test('a migration that cannot have its lock lets traffic pass, and tries again', async () => {
  database = await createTestDatabase();
  const [reader, writer] = [await connect(), await connect()];
  const last = '20260106000000_take_several_requests_at_once';
  await writer.query('alter table rate_limit_windows drop granted, alter taken drop default');
  await writer.query('delete from knex_migrations where name = $1', [last]);
  await reader.query('begin; lock table rate_limit_windows in access share mode');
  const migrating = migrate(database.url);
  await eventually('a migration that waits', async () => {
    const { rowCount } = await writer.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ilike '%add granted%'`,
    );
    return rowCount === 1 ? true : undefined;
  });
  // Behind the migration; the reader does not let go before this is through.
  await writer.query(
    `insert into rate_limit_windows (scope, hits, taken, asked_at) values ('a', '{1}', true, 1)`,
  );
  await reader.query('commit');
  expect(await migrating).toEqual([last]);
});

test('an index is built although others wait for their turn to migrate and a transaction is open', async () => {
  database = await createTestDatabase();
  const [old, writer] = [await connect(), await connect()];
  await writer.query('drop index video_jobs_open_by_workspace');
  await writer.query(`delete from knex_migrations where name like '20260105003100%'`);
  await old.query('begin; lock table video_jobs in row exclusive mode');
  const migrating = Promise.all([migrate(database.url), migrate(database.url)]);
  await eventually('a build that waits', async () => {
    const { rowCount } = await writer.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ilike 'create index concurrently%'`,
    );
    return rowCount === 1 ? true : undefined;
  });
  await writer.query('update video_jobs set checks = checks');
  await old.query('commit');
  expect((await migrating).flat()).toEqual(['20260105003100_find_open_jobs_of_workspaces']);
});
