import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDatabase, type Database } from '../../../support/open-database.ts';
import { convertTimeouts } from '../../../../services/insights/analytics/convert-timeouts.ts';
import { createBareDatabase, type TestDatabase } from '../../../support/database.ts';

let testDatabase: TestDatabase;
let database: Database;
let hasty: Database;
beforeAll(async () => {
  testDatabase = await createBareDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 1 });
  hasty = createDatabase({ url: testDatabase.url, poolMax: 1, statementTimeoutMs: 50 });
});
afterAll(async () => {
  await hasty.close();
  await database.close();
  await testDatabase.drop();
});

test.each([
  ['takes longer than a statement may', () => hasty, 'select pg_sleep(30)', '57014'],
  [
    'is given up by a replica for what the primary changed',
    () => database,
    `do $$ begin raise 'canceling statement due to conflict with recovery' using errcode = '40001'; end $$`,
    '40001',
  ],
])('a statement that %s fails with 408', async (_what, where, statement, code) => {
  const answer = convertTimeouts(() => where().knex.raw(statement));
  await expect(answer).rejects.toMatchObject({ code: 'timeout', cause: { code } });
});

test('any other failure keeps its own code', async () => {
  const answer = convertTimeouts(() => database.knex.raw('select 1 / 0'));
  await expect(answer).rejects.toMatchObject({ code: '22012' });
});
