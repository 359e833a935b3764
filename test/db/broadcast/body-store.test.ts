import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type BodyRow, createBroadcastBodyStore } from '../../../db/broadcast/body-store.ts';
import { createDatabase, type Database } from '../../support/open-database.ts';
import { newGenerationId } from '../../../domain/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const HOUR_MS = 3_600_000;
const NOON = Date.parse('2026-01-31T12:00:00.000Z');

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 6 });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

function bodyAt(settledAtMs: number, startedAtMs = settledAtMs - 5): BodyRow {
  const generationId = newGenerationId(startedAtMs);
  return { generationId, settledAt: new Date(settledAtMs), size: 7, sealed: Buffer.from(generationId) };
}

async function partitions(): Promise<string[]> {
  const { rows } = await database.knex.raw<{ rows: { relname: string }[] }>(
    `select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'broadcast_bodies'::regclass order by 1`,
  );
  return rows.map(({ relname }) => relname);
}

test('the body store creates any missing hourly partition, even for concurrent writers', async () => {
  const store = createBroadcastBodyStore(database.knex);
  const rows = [bodyAt(NOON), bodyAt(NOON - 500 * HOUR_MS), bodyAt(NOON + HOUR_MS - 1), bodyAt(NOON + 1)];
  await Promise.all([store.insert(rows), store.insert([bodyAt(NOON + 2)]), store.insert(rows)]);
  expect(await partitions()).toEqual(['broadcast_bodies_2026011016', 'broadcast_bodies_2026013112']);
  const missing = bodyAt(NOON);
  const read = await store.read([...rows, missing]);
  expect(read).toEqual(new Map(rows.map(({ generationId, sealed }) => [generationId, sealed])));
  expect((await store.sizes([rows[1]!, missing])).size).toBe(1);
  expect(await store.read([])).toEqual(new Map());
});

test('the body store reads only the partitions of its keys', async () => {
  const store = createBroadcastBodyStore(database.knex);
  const row = bodyAt(NOON + 5 * HOUR_MS);
  await store.insert([row]);
  await database.knex.transaction(async (transaction) => {
    // A reader that touched another hour would wait for this lock.
    await transaction.raw('lock table broadcast_bodies_2026013112 in access exclusive mode');
    expect((await store.read([row])).size).toBe(1);
  });
});

test('drop_broadcast_bodies_before drops the hours that have ended, and no others', async () => {
  const store = createBroadcastBodyStore(database.knex);
  const kept = bodyAt(NOON + 20 * HOUR_MS);
  await store.insert([bodyAt(NOON + 19 * HOUR_MS), kept]);
  const { rows } = await database.knex.raw<{ rows: { n: number }[] }>(
    'select drop_broadcast_bodies_before(?) n',
    [new Date(NOON + 20.5 * HOUR_MS)],
  );
  expect(rows).toEqual([{ n: 4 }]);
  expect(await partitions()).toEqual(['broadcast_bodies_2026020108']);
  expect((await store.read([kept])).size).toBe(1);
});
