import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import knexFactory, { type Knex } from 'knex';
import pg from 'pg';
import { migrate, rollBackThrough } from '../../db/migrate.ts';
import { createBareDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

const FOLDER = new URL('../../migrations/', import.meta.url);
/** Migrations of a table of notes. They keep the rules. */
const FIXTURE = new URL('./fixtures/migrations/', import.meta.url);
/** Migrations that break the rules, each in its own way. */
const CARELESS = new URL('./fixtures/careless/', import.meta.url);
/** Tables of thousands of rows, where others have millions: they are read in a moment. */
const SMALL = ['organizations', 'workspaces', 'users', 'api_keys', 'providers', 'models', 'endpoints'];

interface Migration {
  config?: { transaction: boolean };
  up(knex: Knex): Promise<void>;
}

const clients: pg.Client[] = [];
let database: TestDatabase;
beforeEach(async () => {
  database = await createBareDatabase();
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end()));
  await database.drop();
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  clients.push(client);
  return client;
}

/** By table: the file that holds its rows, which a rewrite replaces. */
async function filesOf(knex: Knex): Promise<Map<string, string>> {
  const { rows } = await knex.raw<{ rows: { name: string; file: string }[] }>(
    `select relname name, relfilenode::text file from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
  );
  return new Map(rows.map(({ name, file }) => [name, file]));
}

/**
 * Returns the tables that were there before, and that the migration read in full while nobody could write to them. A
 * partitioned table has no rows of its own; an index of it alone reads none, and one of its partitions locks them.
 */
async function standstills(knex: Knex, { up }: Migration): Promise<string[]> {
  return knex.transaction(async (transaction) => {
    const before = await filesOf(transaction);
    await up(transaction);
    const after = await filesOf(transaction);
    const { rows: indexed } = await transaction.raw<{ rows: { name: string }[] }>(
      `select relation::regclass::text name from pg_locks join pg_class c on c.oid = relation
       where pid = pg_backend_pid() and locktype = 'relation' and mode = 'ShareLock' and relkind <> 'p'`,
    );
    const rewritten = [...after].filter(([name, file]) => before.has(name) && before.get(name) !== file);
    const read = new Set([...indexed.map(({ name }) => name), ...rewritten.map(([name]) => name)]);
    return [...read].filter((name) => before.has(name) && !SMALL.includes(name));
  });
}

/** Applies the migrations of a folder; returns what each of them does that makes writers wait. */
async function carelessSteps(folder: URL): Promise<string[]> {
  const knex = knexFactory({ client: 'pg', connection: database.url, pool: { min: 0, max: 1 } });
  const found: string[] = [];
  const statements: string[] = [];
  knex.on('query', ({ sql }: { sql: string }) => statements.push(sql));
  for (const file of (await readdir(folder)).filter((name) => /^\d{14}_/.test(name)).toSorted()) {
    const migration = (await import(new URL(file, folder).href)) as Migration;
    if (migration.config?.transaction !== false) {
      found.push(...(await standstills(knex, migration)).map((table) => `${file} ${table}`));
      continue;
    }
    statements.length = 0;
    await migration.up(knex);
    const careless = statements.filter((sql) => /(create|drop) (unique )?index (?!concurrently)/.test(sql));
    found.push(...careless.map((sql) => `${file} ${sql}`));
  }
  await knex.destroy();
  return found;
}

test.each([
  ['the product', FOLDER],
  ['the fixture', FIXTURE],
])('no migration of %s reads a large table while writers wait', async (_, folder) => {
  expect(await carelessSteps(folder)).toEqual([]);
});

test('the check finds migrations that make writers wait', async () => {
  expect(await carelessSteps(CARELESS)).toEqual([
    '20260101000100_index_within_transaction.ts notes',
    '20260101000200_rewrite_table.ts notes',
    '20260101000300_drop_index_at_once.ts drop index notes_body',
  ]);
});

/** Resolves when a statement that begins so waits for a lock. */
async function untilWaiting(client: pg.Client, statement: string): Promise<void> {
  await eventually('a statement that waits', async () => {
    const { rowCount } = await client.query(
      `select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query ilike $1`,
      [`${statement}%`],
    );
    return rowCount === 1 ? true : undefined;
  });
}

const [INDEX, EXPAND, CONTRACT] = [
  '20260101000100_find_notes',
  '20260101000200_add_author',
  '20260101000300_require_author',
] as const;

test('a migration that misses its lock lets writers pass and retries', async () => {
  await migrate(database.url, FIXTURE);
  await rollBackThrough(database.url, EXPAND, FIXTURE);
  const [reader, writer] = [await connect(), await connect()];
  await reader.query('begin; lock table notes in access share mode');
  const migrating = migrate(database.url, FIXTURE);
  await untilWaiting(writer, 'alter table notes add author');
  // It queues behind the migration. The reader does not let go before this is through.
  await writer.query('update notes set body = body');
  await reader.query('commit');
  expect(await migrating).toEqual([EXPAND, CONTRACT]);
});

test('a concurrent index is built during an open transaction and a second migration', async () => {
  await migrate(database.url, FIXTURE);
  await rollBackThrough(database.url, INDEX, FIXTURE);
  const [old, writer] = [await connect(), await connect()];
  await old.query('begin; lock table notes in row exclusive mode');
  const migrating = Promise.all([migrate(database.url, FIXTURE), migrate(database.url, FIXTURE)]);
  await untilWaiting(writer, 'create index concurrently');
  await writer.query('update notes set body = body');
  await old.query('commit');
  expect((await migrating).flat()).toEqual([INDEX, EXPAND, CONTRACT]);
});

test('a failed migration keeps the earlier ones, and both versions can write', async () => {
  await migrate(database.url, FIXTURE);
  await rollBackThrough(database.url, EXPAND, FIXTURE);
  const writer = await connect();
  const writeInVersionBefore = () => writer.query(`insert into notes (body) values ('a')`);
  await writeInVersionBefore();
  await expect(migrate(database.url, FIXTURE)).rejects.toThrow('contains null values');
  await writeInVersionBefore();
  await writer.query(`insert into notes (body, author) values ('b', 'me')`);
  await writer.query(`update notes set author = 'nobody' where author is null`);
  expect(await migrate(database.url, FIXTURE)).toEqual([CONTRACT]);
  await expect(writeInVersionBefore()).rejects.toThrow('null value in column "author"');
});
