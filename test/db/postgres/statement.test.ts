import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createDatabase, type Database, type Handle } from '../../support/open-database.ts';
import {
  int4,
  int8,
  jsonb,
  oneOf,
  selectList,
  text,
  texts,
  timestamptz,
} from '../../../db/postgres/shape.ts';
import { joined, sql, trustedText } from '../../../db/postgres/sql-text.ts';
import { prepared, rowsOf, run, tables } from '../../../db/postgres/statement.ts';
import { createBareDatabase, type TestDatabase } from '../../support/database.ts';

let testDatabase: TestDatabase;
let database: Database;
let handle: Handle;
beforeAll(async () => {
  testDatabase = await createBareDatabase();
  // A connection that does not come back is missed by the next statement.
  database = createDatabase({ url: testDatabase.url, poolMax: 1 });
  handle = database.knex;
  await run(handle, 'create table things (n integer, full_name text)');
});
beforeEach(async () => {
  await run(handle, 'truncate things');
  await run(handle, `insert into things values (1, 'one'), (2, null)`);
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const thing = { n: int4, fullName: text.orNull };
const LIST = prepared('list-things', `select ${selectList(thing)} from things where n > :after order by n`);

describe('a statement with named values', () => {
  test('passes each name as one parameter, and leaves strings, comments, casts and quoted names alone', async () => {
    const statement = `select ':no' a, :one::text || :one b, '{"x":true}'::jsonb c, array[:n::int + 1]::text[] d, -- it's :no
      to_char(:at::timestamptz, 'HH24:MI') ":e"`;
    const values = { one: '1', n: 2, at: new Date('2026-01-01T12:30:00Z') };
    const shape = { a: text, b: text, c: jsonb<{ x: boolean }>(), d: texts, ':e': text };
    const [row] = await rowsOf(handle, shape, statement, values);
    expect(row).toMatchObject({ a: ':no', b: '11', c: { x: true }, d: ['3'] });
  });

  test('throws when a value is missing, and names it', async () => {
    await expect(run(handle, 'select :left, :right', { left: '1' })).rejects.toThrow(':right');
  });

  test('returns how many rows it changed', async () => {
    expect(await run(handle, 'update things set n = n + :by', { by: 1 })).toBe(2);
    expect(await run(handle, 'delete from things where n > 99')).toBe(0);
  });
});

test('a statement in pieces passes the values in its holes as parameters', async () => {
  const names = joined([sql`n = ${1}`, undefined, sql`full_name = ${"it's ? $1"}`], ' or ');
  const rows = await rowsOf(
    handle,
    thing,
    sql`select ${trustedText(selectList(thing))} from things where ${names}`,
  );
  expect(rows).toEqual([{ n: 1, fullName: 'one' }]);
});

test('a query that Knex builds runs over the pool', async () => {
  await run(handle, tables('things').insert({ n: 3, full_name: 'three' }));
  const rows = await rowsOf(handle, { n: int4 }, tables('things').select('n').where('n', '>', 2));
  expect(rows).toEqual([{ n: 3 }]);
});

describe('a prepared statement', () => {
  test('keeps one plan on each connection', async () => {
    await rowsOf(handle, thing, LIST, { after: 0 });
    await rowsOf(handle, thing, LIST, { after: 1 });
    expect(await rowsOf(handle, { name: text }, 'select name from pg_prepared_statements')).toEqual([
      { name: LIST.name },
    ]);
  });

  test("sees its transaction's writes, and leaves the transaction open", async () => {
    const changing = handle.transaction(async (transaction) => {
      await run(transaction, 'insert into things values (3, null)');
      expect(await rowsOf(transaction, thing, LIST, { after: 2 })).toEqual([{ n: 3, fullName: null }]);
      throw new Error('back');
    });
    await expect(changing).rejects.toThrow('back');
    expect(await rowsOf(handle, thing, LIST, { after: 2 })).toEqual([]);
  });

  test('gives its connection back when it fails', async () => {
    const failing = rowsOf(handle, { n: int4 }, prepared('divide', 'select 1 / :by::integer n'), { by: 0 });
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    expect(await rowsOf(handle, thing, LIST, { after: 9 })).toEqual([]);
  });
});

describe('the check of shapes', () => {
  test.each<[string, () => Promise<unknown>, string]>([
    ['a column is missing', () => rowsOf(handle, { n: int4, m: int4 }, 'select 1 n'), 'lacks the column "m"'],
    [
      'there is one more column',
      () => rowsOf(handle, { n: int4 }, 'select 1 n, 2 m'),
      'a column "m" that the shape',
    ],
    ['a column has another name', () => rowsOf(handle, { n: int4 }, 'select 1 m'), 'lacks the column "n"'],
    ['a column is there twice', () => rowsOf(handle, { n: int4 }, 'select 1 n, 2 n'), 'a column twice'],
    [
      'a column has another type',
      () => rowsOf(handle, { n: int8 }, 'select 1 n'),
      'the type 23 for "n", which claims 20',
    ],
    [
      'a column has another type and there are no rows',
      () => rowsOf(handle, { n: int4 }, 'select now() n limit 0'),
      'type 1184',
    ],
    ['a value is null', () => rowsOf(handle, { n: int4 }, 'select null::integer n'), 'null for "n"'],
    [
      'a value is not listed',
      () => rowsOf(handle, { s: oneOf(['a', 'b']) }, `select 'c' s`),
      'returns "c" for "s", which claims a, b',
    ],
    [
      'a column of a statement in pieces has another type',
      () => rowsOf(handle, { n: text }, sql`select ${1}::integer n`),
      'type 23',
    ],
    [
      'a column of a query by Knex has another type',
      () => rowsOf(handle, { n: text }, tables('things').select('n')),
      'type 23',
    ],
    [
      'a column of a prepared statement has another type',
      () => rowsOf(handle, { n: text }, prepared('other-type', 'select 1 n')),
      'type 23',
    ],
    [
      'a column has another type in a transaction',
      () => handle.transaction((transaction) => rowsOf(transaction, { n: text }, 'select 1 n')),
      'type 23',
    ],
  ])('throws when %s', async (_what, statement, fault) => {
    await expect(statement()).rejects.toThrow(fault);
  });

  test('accepts rows of the shape, with nulls where the shape allows them', async () => {
    const shape = { n: int4.orNull, at: timestamptz, kind: oneOf(['a']).orNull, list: texts };
    const statement = `select null::integer n, now() at, 'a' kind, array['x'] list`;
    expect(await rowsOf(handle, shape, statement)).toEqual([
      { n: null, at: expect.any(Date), kind: 'a', list: ['x'] },
    ]);
  });
});
