import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { migrate, rollBackAll } from '../../db/migrate.ts';
import { createBareDatabase, createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createBareDatabase();
});

afterAll(async () => {
  await database.drop();
});

/** What the schema consists of, by kind, in words that do not depend on the order of creation. */
const QUESTIONS = {
  columns: `select format('%s.%s %s %s default %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
              case when a.attnotnull then 'not null' else 'null' end, pg_get_expr(d.adbin, d.adrelid)) fact
            from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
            where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')`,
  indexes: `select indexdef fact from pg_indexes where schemaname = 'public'`,
  constraints: `select format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) fact
                from pg_constraint where connamespace = 'public'::regnamespace`,
  sequences: `select sequencename fact from pg_sequences where schemaname = 'public'`,
  functions: `select pg_get_functiondef(oid) fact from pg_proc where pronamespace = 'public'::regnamespace`,
  triggers: `select pg_get_triggerdef(oid) fact from pg_trigger where not tgisinternal`,
  types: `select typname fact from pg_type where typnamespace = 'public'::regnamespace and typrelid = 0
            and typelem = 0`,
};

type Schema = Record<keyof typeof QUESTIONS, string[]>;

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function schemaOf(url: string): Promise<Schema> {
  const facts: [string, string[]][] = [];
  for (const [kind, question] of Object.entries(QUESTIONS)) {
    const rows = await query<{ fact: string }>(url, question);
    facts.push([kind, rows.map(({ fact }) => fact).toSorted()]);
  }
  return Object.fromEntries(facts) as Schema;
}

/** Knex's own two tables stay, whatever is rolled back. */
function withoutBookkeeping(schema: Schema): Schema {
  const entries = Object.entries(schema).map(([kind, facts]) => [
    kind,
    facts.filter((fact) => !fact.includes('knex_migrations')),
  ]);
  return Object.fromEntries(entries) as Schema;
}

test.each([
  ['the product', undefined, /^video_jobs\.id text not null/],
  ['the fixture', new URL('./fixtures/migrations/', import.meta.url), /^notes\.author text not null/],
])('migrations of %s go up, down to nothing, and up again to the same schema', async (_, folder, column) => {
  const { url, drop } = await createBareDatabase();
  const applied = await migrate(url, folder);
  const first = await schemaOf(url);
  expect(first.columns).toContainEqual(expect.stringMatching(column));

  expect(await rollBackAll(url, folder)).toEqual(applied.toReversed());
  const nothing = Object.fromEntries(Object.keys(QUESTIONS).map((kind) => [kind, []]));
  expect(withoutBookkeeping(await schemaOf(url))).toEqual(nothing);

  expect(await migrate(url, folder)).toEqual(applied);
  expect(await schemaOf(url)).toEqual(first);
  await drop();
});

test('three processes that start at once apply each migration once', async () => {
  const bare = await createBareDatabase();
  const applied = await Promise.all([migrate(bare.url), migrate(bare.url), migrate(bare.url)]);
  const counts = applied.map(({ length }) => length).toSorted((a, b) => a - b);
  expect(counts).toEqual([0, 0, (await migrationsOf(bare.url)).length]);
  await bare.drop();
});

test('migrations continue after a process died with the migration lock', async () => {
  await migrate(database.url);
  await query(database.url, 'update knex_migrations_lock set is_locked = 1');
  expect(await migrate(database.url)).toEqual([]);
});

async function migrationsOf(url: string): Promise<unknown[]> {
  return query(url, 'select name from knex_migrations');
}

test('every foreign key has an index that begins with its columns', async () => {
  const migrated = await createTestDatabase();
  const missing = await query(
    migrated.url,
    `select format('%s %s', conrelid::regclass, conname) missing from pg_constraint k
     where contype = 'f' and connamespace = 'public'::regnamespace and not exists (
       select from pg_index i where i.indrelid = k.conrelid
         and (i.indkey::int2[])[0:cardinality(k.conkey) - 1] @> k.conkey)`,
  );
  await migrated.drop();
  expect(missing).toEqual([]);
});
