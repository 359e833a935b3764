import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { createAccountStore } from '../../db/accounts/account-store.ts';
import { createApiKeyStore } from '../../db/accounts/api-key-store.ts';
import { createDatabase } from '../../db/connection.ts';
import { migrate, rollBackAll, rollBackThrough } from '../../db/migrate.ts';
import { newUuid } from '../../domain/ids.ts';
import { newToken } from '../../services/accounts/identity/key-token.ts';
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

test('migrations go up, down to nothing, and up again to the same schema', async () => {
  const applied = await migrate(database.url);
  const first = await schemaOf(database.url);
  expect(first.columns).toContainEqual(expect.stringMatching(/^video_jobs\.id text not null/));

  expect(await rollBackAll(database.url)).toEqual(applied.toReversed());
  const nothing = Object.fromEntries(Object.keys(QUESTIONS).map((kind) => [kind, []]));
  expect(withoutBookkeeping(await schemaOf(database.url))).toEqual(nothing);

  expect(await migrate(database.url)).toEqual(applied);
  expect(await schemaOf(database.url)).toEqual(first);
});

test('migrations are applied once by three processes that start on an empty database at once', async () => {
  const bare = await createBareDatabase();
  const applied = await Promise.all([migrate(bare.url), migrate(bare.url), migrate(bare.url)]);
  const counts = applied.map(({ length }) => length).toSorted((a, b) => a - b);
  expect(counts).toEqual([0, 0, (await migrationsOf(bare.url)).length]);
  await bare.drop();
});

test('migrations go on after a process that died in the middle of them', async () => {
  await migrate(database.url);
  await query(database.url, 'update knex_migrations_lock set is_locked = 1');
  expect(await migrate(database.url)).toEqual([]);
});

async function migrationsOf(url: string): Promise<unknown[]> {
  return query(url, 'select name from knex_migrations');
}

test('what was deleted stays so for the versions before that do not know deletion', async () => {
  const { url, drop } = await createTestDatabase();
  const { knex, close } = createDatabase({ url, poolMax: 1 });
  const organizationId = newUuid();
  const accounts = createAccountStore(knex);
  await accounts.insertOrganization({
    id: organizationId,
    name: 'Test',
    creditEnforcement: false,
    entitlements: [],
  });
  const addWorkspace = async (slug: string): Promise<string> => {
    const [id, facts] = [newUuid(), { name: 'Again', defaultCallbackUrl: null, createdBy: null }];
    await accounts.insertWorkspace({ id, organizationId, slug, isDefault: false, ...facts });
    return id;
  };
  const old = await addWorkspace('again');
  const { hash, label } = newToken();
  const key = { hash, label, name: 'A key', kind: 'regular' as const, organizationId, workspaceId: old };
  await createApiKeyStore(knex).insert(key);
  // As they were deleted when deletion was new.
  await knex('api_keys').update({ disabled: true, deleted_at: new Date() });
  await knex('workspaces').update({ deleted_at: new Date() });
  const current = await addWorkspace('again');
  const older = await addWorkspace('older');
  await knex('workspaces').where({ id: older }).update({ deleted_at: new Date() });
  // From when anybody could have it.
  const likeDeleted = await addWorkspace(`deleted-${older}`);
  await close();

  await rollBackThrough(url, '20260109000100_mark_what_was_deleted');
  await migrate(url);
  await rollBackThrough(url, '20260108000000_manage_keys');
  expect(await query(url, 'select expires_at < now() expired from api_keys')).toEqual([{ expired: true }]);
  expect(await query(url, 'select id, slug from workspaces order by created_at')).toEqual([
    { id: old, slug: `deleted-${old}` },
    { id: current, slug: 'again' },
    { id: older, slug: expect.stringMatching(/^deleted-[0-9a-f-]{36}$/) },
    { id: likeDeleted, slug: `deleted-${older}` },
  ]);
  await drop();
});

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
