import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDatabase, type Database } from '../../../db/postgres/connection.ts';
import { rowsOfPrepared } from '../../../db/postgres/prepared-statement.ts';
import { createBareDatabase, type TestDatabase } from '../../support/database.ts';

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createBareDatabase();
  // What does not come back is missed by the next statement.
  database = createDatabase({ url: testDatabase.url, poolMax: 1 });
  await database.knex.raw('create table things (n integer)');
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const LIST = { name: 'list-things', text: 'select n from things where n > $1 order by n' };

test('a prepared statement is parsed once by each connection', async () => {
  await rowsOfPrepared(database.knex, LIST, [0]);
  await rowsOfPrepared(database.knex, LIST, [1]);
  const { rows }: { rows: object[] } = await database.knex.raw('select name from pg_prepared_statements');
  expect(rows).toEqual([{ name: LIST.name }]);
});

test("a prepared statement sees its transaction's writes, and leaves the transaction open", async () => {
  const transaction = await database.knex.transaction();
  await transaction.raw('insert into things values (2), (1)');
  expect(await rowsOfPrepared(transaction, LIST, [0])).toEqual([{ n: 1 }, { n: 2 }]);
  await transaction.rollback();
  expect(await rowsOfPrepared(database.knex, LIST, [0])).toEqual([]);
});

test('a failing prepared statement releases its connection and emits query-error', async () => {
  const reported: unknown[] = [];
  database.knex.once('query-error', (error: unknown, { __knexUid }: { __knexUid: unknown }) =>
    reported.push(error, typeof __knexUid),
  );
  const failing = rowsOfPrepared(database.knex, { name: 'divide', text: 'select 1 / $1::integer' }, [0]);
  await expect(failing).rejects.toMatchObject({ code: '22012' });
  expect(reported).toEqual([expect.objectContaining({ code: '22012' }), 'string']);
  expect(await rowsOfPrepared(database.knex, LIST, [0])).toEqual([]);
});
