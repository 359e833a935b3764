import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createBudgetAlertStore, type MarkedPeriod } from '../../../db/ledger/budget-alert-store.ts';
import { createDatabase, type Database } from '../../support/open-database.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const DAY_MS = 86_400_000;

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 2 });
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const period = (name: string): MarkedPeriod => ({ payer: 'key', payerId: '1', period: name });

test('budget marks are read in the order of the requested periods', async () => {
  const store = createBudgetAlertStore(database.knex);
  expect(await store.mark(period('b'), [50, 80], null)).toBe(true);
  expect(await store.mark(period('b'), [50, 80], null)).toBe(false);
  expect(await store.mark(period('c'), [50], null)).toBe(true);
  const other: MarkedPeriod = { payer: 'workspace', payerId: '1', period: 'b' };
  const marks = await store.marks([period('c'), period('a'), period('b'), other, period('c')]);
  expect(marks).toEqual([[50], [], [50, 80], [], [50]]);
  expect(await store.marks([])).toEqual([]);
});

test("budget marks are deleted 90 days after their period's end, the oldest first", async () => {
  const store = createBudgetAlertStore(database.knex);
  await database.knex('budget_alerts').delete();
  const ended = (days: number) => new Date(Date.now() - days * DAY_MS);
  await store.mark(period('younger'), [50, 80], ended(91));
  await store.mark(period('oldest'), [50], ended(400));
  await store.mark(period('young'), [50], ended(89));
  await store.mark(period('endless'), [50], null);
  const deleteSome = () => store.deleteEnded(90 * DAY_MS, 2);
  expect(await deleteSome()).toBe(2);
  expect((await store.marks([period('oldest'), period('younger')])).flat()).toHaveLength(1);
  expect([await deleteSome(), await deleteSome()]).toEqual([1, 0]);
  expect(await store.marks([period('young'), period('endless')])).toEqual([[50], [50]]);
});
