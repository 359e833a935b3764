import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDatabase, type Database } from '../../support/open-database.ts';
import { createAccountStore } from '../../../db/accounts/account-store.ts';
import { newUuid } from '../../../domain/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

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

/** Creates an organization that has used so much, in two shards of its counters. */
async function organizationThatUsed(nanos: number): Promise<string> {
  const id = newUuid();
  const facts = { id, name: 'Test', creditEnforcement: true, entitlements: [] };
  await createAccountStore(database.knex).insertOrganization(facts);
  await use(id, 0, nanos - 1);
  await use(id, 7, 1);
  return id;
}

async function use(organizationId: string, shard: number, nanos: number): Promise<void> {
  const counts = { usage_nanos: nanos, byok_usage_nanos: 1_000, request_count: 1 };
  await database
    .knex('organization_usage_totals')
    .insert({ organization_id: organizationId, shard, ...counts });
}

/** Adds an entry without saying what was used. */
async function addCredit(organizationId: string): Promise<void> {
  await database
    .knex('credit_entries')
    .insert({ id: newUuid(), organization_id: organizationId, amount_nanos: 1 });
}

async function usedBefore(organizationId: string): Promise<string[]> {
  const rows = await database
    .knex<{ organization_id: string; used_nanos: string; created_at: Date }>('credit_entries')
    .where({ organization_id: organizationId })
    .orderBy('created_at')
    .select('used_nanos');
  return rows.map(({ used_nanos: used }) => used);
}

test('a credit entry records what its organization had used until then', async () => {
  const [busy, quiet] = [await organizationThatUsed(70), newUuid()];
  const facts = { id: quiet, name: 'Test', creditEnforcement: true, entitlements: [] };
  await createAccountStore(database.knex).insertOrganization(facts);
  await addCredit(busy);
  await use(busy, 3, 30);
  await addCredit(busy);
  await addCredit(quiet);
  expect([await usedBefore(busy), await usedBefore(quiet)]).toEqual([['70', '100'], ['0']]);
});
