import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { createDatabase, type Database, type Handle } from '../../support/open-database.ts';
import { int4 } from '../../../db/postgres/shape.ts';
import { rowsOf, run } from '../../../db/postgres/statement.ts';
import { createBareDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

let testDatabase: TestDatabase;
let database: Database;
let handle: Handle;
beforeAll(async () => {
  testDatabase = await createBareDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 1 });
  handle = database.knex;
  await run(handle, 'create table things (n integer)');
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const stored = async (): Promise<number[]> =>
  (await rowsOf(handle, { n: int4 }, 'select n from things order by n')).map(({ n }) => n);
const backend = async (by: Handle = handle): Promise<number> =>
  (await rowsOf(by, { pid: int4 }, 'select pg_backend_pid() pid'))[0]!.pid;

test('a transaction commits, and returns what its work returns', async () => {
  const answer = await handle.transaction(async (transaction) => {
    await run(transaction, 'insert into things values (1)');
    return 'done';
  });
  expect([answer, await stored()]).toEqual(['done', [1]]);
});

test('a transaction whose work throws changes nothing and keeps its connection', async () => {
  const before = await backend();
  const failing = handle.transaction(async (transaction) => {
    await run(transaction, 'insert into things values (2)');
    throw new Error('the work fails');
  });
  await expect(failing).rejects.toThrow('the work fails');
  expect([await stored(), await backend()]).toEqual([[1], before]);
});

test('a read-only transaction refuses to write', async () => {
  const writing = handle.transaction((transaction) => run(transaction, 'insert into things values (3)'), {
    readOnly: true,
  });
  await expect(writing).rejects.toMatchObject({ code: '25006' });
});

test('a statement of a transaction that is over is refused', async () => {
  const over = await handle.transaction(async (transaction) => ({ transaction }));
  await expect(run(over.transaction, 'insert into things values (4)')).rejects.toThrow('is over');
});

test('a transaction within a transaction is refused', async () => {
  const nested = handle.transaction((transaction) => transaction.transaction(async () => {}));
  await expect(nested).rejects.toThrow('no transactions within');
});

test('a transaction whose rollback fails does not give its connection back', async () => {
  const before = await backend();
  const query = jest.spyOn(pg.Client.prototype, 'query');
  const failing = handle.transaction(async (transaction) => {
    await run(transaction, 'insert into things values (5)');
    query.mockImplementationOnce(() => Promise.reject(new Error('no rollback')) as never);
    throw new Error('the work fails');
  });
  await expect(failing).rejects.toThrow('the work fails');
  query.mockRestore();
  expect(await backend()).not.toBe(before);
  await eventually('the rollback by the end of the connection', async () =>
    (await stored()).includes(5) ? undefined : true,
  );
});
