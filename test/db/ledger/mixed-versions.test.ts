/** Writes one ledger by the whole statement, as the version before ADR 0100 did, and by today's, at the same time. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { auditLedger } from '../../../db/ledger/ledger-audit.ts';
import { createLedgerConnection, type LedgerConnection } from '../../../db/ledger/ledger-connection.ts';
import { int4 } from '../../../db/postgres/shape.ts';
import { rowsOf } from '../../../db/postgres/statement.ts';
import { newUuid } from '../../../domain/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { makeGeneration } from '../../support/make-generation.ts';
import { createDatabase, type Database } from '../../support/open-database.ts';

let testDatabase: TestDatabase;
let database: Database;
let before: LedgerConnection;
let now: LedgerConnection;
let other: LedgerConnection;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 1 });
  const open = (shard: number) => createLedgerConnection({ url: testDatabase.url, shard, silenceMs: 30_000 });
  [before, now, other] = [open(0), open(0), open(1)];
  await before.ensurePartitions([new Date()]);
});

afterAll(async () => {
  for (const connection of [before, now, other]) await connection.close();
  await database.close();
  await testDatabase.drop();
});

const BATCHES = 40;
const ROWS = 5;
const place = { organizationId: newUuid(), workspaceId: newUuid() };

/** Writes each batch with both statements, in either order or at once, as processes do that replay the same rows. */
async function writeAll(): Promise<void> {
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const rows = Array.from({ length: ROWS }, (_, n) => makeGeneration({ ...place, keyId: 1 + (n % 3) }));
    if (batch % 3 === 0) await before.record(rows);
    await Promise.all([now.record(rows, true), before.record(rows), other.sum(10_000)]);
    if (batch % 3 === 1) await now.sum(10_000);
  }
}

test('rows and sums agree in each snapshot while old and new processes write the same rows', async () => {
  let isWriting = true;
  const writing = writeAll().finally(() => (isWriting = false));
  const differing: string[] = [];
  while (isWriting) {
    const verdicts = await auditLedger(database.knex);
    differing.push(...verdicts.filter((check) => check.differing > 0).map(({ name }) => name));
  }
  await writing;
  await other.sum(10_000);
  expect(differing).toEqual([]);
  const counts = await rowsOf(
    database.knex,
    { rows: int4, sums: int4, copies: int4 },
    `select (select count(*)::integer from generations) "rows",
       (select sum(request_count)::integer from key_usage_totals) sums,
       (select count(*)::integer from unsummed_generations) copies`,
  );
  expect(counts).toEqual([{ rows: BATCHES * ROWS, sums: BATCHES * ROWS, copies: 0 }]);
});
