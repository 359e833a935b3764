import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bool, numeric, text } from '../../../db/postgres/shape.ts';
import { rowsOf } from '../../../db/postgres/statement.ts';
import { createDatabase, type Database } from '../../support/open-database.ts';
import { createLedgerStore } from '../../../db/ledger/ledger-store.ts';
import { newGenerationId, newUuid, timestampOfId } from '../../../domain/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { makeGeneration } from '../../support/make-generation.ts';

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 10 });
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

function createdAtOf({ id }: { id: string }): Date {
  return new Date(timestampOfId(id));
}

async function usageOf(organizationId: string) {
  const [row] = await rowsOf(
    database.knex,
    { usage: numeric, byok: numeric, n: numeric },
    `select coalesce(sum(usage_nanos), 0) usage, coalesce(sum(byok_usage_nanos), 0) byok,
            coalesce(sum(request_count), 0) n
     from organization_usage_totals where organization_id = :organizationId`,
    { organizationId },
  );
  return row!;
}

describe('the ledger', () => {
  test('adds a generation once when it is recorded twice', async () => {
    const ledger = createLedgerStore(database.knex);
    const record = makeGeneration({ keyId: 11 });
    await ledger.ensurePartition(createdAtOf(record));
    expect([await ledger.record(record, 1), await ledger.record(record, 2)]).toEqual([true, false]);
    expect(await usageOf(record.organizationId)).toEqual({ usage: '1000', byok: '0', n: '1' });
  });

  test('adds up BYOK cost apart from the usage that is charged', async () => {
    const ledger = createLedgerStore(database.knex);
    const record = makeGeneration({ isByok: true, keyId: 12 });
    await ledger.ensurePartition(createdAtOf(record));
    await ledger.record(record, 1);
    expect(await usageOf(record.organizationId)).toEqual({ usage: '0', byok: '1000', n: '1' });
  });

  test('creates the partition of a past day once for eight concurrent callers', async () => {
    const ledger = createLedgerStore(database.knex);
    const createdAt = new Date('2025-03-04T23:59:59.999Z');
    await Promise.all(Array.from({ length: 8 }, () => ledger.ensurePartition(createdAt)));
    const record = makeGeneration({ id: newGenerationId(createdAt.getTime()) });
    expect(await ledger.record(record, 1)).toBe(true);
    const rows = await rowsOf(
      database.knex,
      { table: text },
      'select tableoid::regclass::text "table" from generations where id = :id',
      { id: record.id },
    );
    expect(rows).toEqual([{ table: 'generations_20250304' }]);
  });

  test('keeps counters equal to sums when 200 generations settle concurrently', async () => {
    const organizationId = newUuid();
    const records = Array.from({ length: 200 }, (_, i) =>
      makeGeneration({ organizationId, keyId: 100 + (i % 3), costNanos: BigInt(i) }),
    );
    await createLedgerStore(database.knex).ensurePartition(new Date());
    await Promise.all(
      records.map((record, i) =>
        database.knex.transaction((transaction) => createLedgerStore(transaction).record(record, i % 4)),
      ),
    );
    expect(await usageOf(organizationId)).toEqual({ usage: '19900', byok: '0', n: '200' });
    const byKey = await rowsOf(
      database.knex,
      { same: bool },
      `select (select sum(usage_nanos) from key_usage_totals t where t.key_id = g.key_id) = sum(g.cost_nanos)
          and (select sum(usage_nanos) from key_usage d where d.key_id = g.key_id) = sum(g.cost_nanos) same
       from generations g where organization_id = :organizationId group by g.key_id`,
      { organizationId },
    );
    expect(byKey).toEqual([{ same: true }, { same: true }, { same: true }]);
  });

  test('counts a generation on the UTC day when it settled', async () => {
    const ledger = createLedgerStore(database.knex);
    const record = makeGeneration({
      id: newGenerationId(Date.parse('2026-01-31T23:59:00Z')),
      settledAt: new Date('2026-02-01T00:00:01Z'),
      keyId: 777,
    });
    await ledger.ensurePartition(createdAtOf(record));
    await ledger.record(record, 0);
    const days = await rowsOf(
      database.knex,
      { day: text },
      'select settled_on::text "day" from key_usage where key_id = :keyId',
      { keyId: 777 },
    );
    expect(days).toEqual([{ day: '2026-02-01' }]);
  });
});
