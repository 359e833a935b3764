import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { isUniqueViolation } from '../../../db/postgres/connection.ts';
import { createDatabase } from '../../support/open-database.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});

afterAll(async () => {
  await testDatabase.drop();
});

describe('a pool that loses its connections', () => {
  test('logs a warning, prints nothing, and serves the next query', async () => {
    const printed = jest.spyOn(console, 'log');
    const warnings: unknown[] = [];
    const logger = { warn: (...facts: unknown[]): void => void warnings.push(facts) };
    const [pool, other] = [
      createDatabase({ url: testDatabase.url, poolMax: 1, applicationName: 'cut', logger }),
      createDatabase({ url: testDatabase.url, poolMax: 1 }),
    ];
    await pool.knex.raw('select 1');
    await other.knex.raw(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'cut'`,
    );
    await eventually('a query noticing the loss', async () => {
      await pool.knex.raw('select 1').catch(() => {});
      return warnings.length > 0 ? true : undefined;
    });
    expect((await pool.knex.raw<{ rows: unknown[] }>('select 1 one')).rows).toEqual([{ one: 1 }]);
    expect(JSON.stringify(warnings)).not.toContain(new URL(testDatabase.url).pathname.slice(1));
    await Promise.all([pool.close(), other.close()]);
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
  });
});

describe('a pool that is closed', () => {
  test('first serves the callers who wait for a connection', async () => {
    const { knex, close } = createDatabase({ url: testDatabase.url, poolMax: 1 });
    const release = Promise.withResolvers<void>();
    const holding = knex.transaction(() => release.promise);
    const waiting = knex.raw<{ rows: unknown[] }>('select 1 one');
    const answer = waiting.then(({ rows }) => rows);
    const closing = close();
    release.resolve();
    await Promise.all([holding, closing]);
    expect(await answer).toEqual([{ one: 1 }]);
  });
});

describe('isUniqueViolation', () => {
  test('recognizes a unique violation and its constraint, and no other failure', async () => {
    const { knex, close } = createDatabase({ url: testDatabase.url, poolMax: 1 });
    const provider = { slug: 'twice', name: 'Twice', adapter: 'local' };
    await knex('providers').insert(provider);
    const twice: unknown = await knex('providers')
      .insert(provider)
      .catch((error: unknown) => error);
    const missing: unknown = await knex('nowhere').catch((error: unknown) => error);
    await close();
    expect([
      isUniqueViolation(twice),
      isUniqueViolation(twice, 'providers_pkey'),
      isUniqueViolation(twice, 'other'),
      isUniqueViolation(missing),
      isUniqueViolation(null),
    ]).toEqual([true, true, false, false, false]);
  });
});
