import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type BilledRange, createBillReadModel } from '../../../db/ledger/bill-read-model.ts';
import { createLedgerStore } from '../../../db/ledger/ledger-store.ts';
import { newGenerationId, newUuid } from '../../../domain/ids.ts';
import type { Bill } from '../../../domain/ledger/bill.ts';
import { copyRows } from '../../support/copy-rows.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { makeGeneration } from '../../support/make-generation.ts';
import { createDatabase, type Database } from '../../support/open-database.ts';
import pg from 'pg';

const AT = Date.parse('2026-11-28T12:00:00Z');
const HOUR_MS = 3_600_000;
const BILL: Bill = {
  prices: 7,
  flags: ['estimated'],
  startMs: AT,
  endMs: AT,
  inputs: ['text'],
  outputs: ['text'],
  tokens: { prompt: 1, completion: 2 },
  media: { outputSeconds: 0.1 },
};
const [ACME, OTHER] = [newUuid(), newUuid()];

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 1 });
  const store = createLedgerStore(database.knex);
  await store.ensurePartition(new Date(AT));
  const add = (atMs: number, organizationId: string, model: string, bill?: Bill) => {
    const generation = makeGeneration({ id: newGenerationId(atMs), organizationId, model });
    return store.record({ ...generation, details: { ...generation.details, bill } }, 0);
  };
  await add(AT, ACME, 'acme/fast', BILL);
  await add(AT + HOUR_MS, OTHER, 'acme/slow-2026');
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

async function read(change: Partial<BilledRange> = {}) {
  const range = { from: new Date(AT), to: new Date(AT + 2 * HOUR_MS), ...change };
  const pages = [];
  for await (const page of createBillReadModel(database.knex).pages(range)) pages.push(page);
  return pages;
}

describe('the bills of a range', () => {
  test('come as they were kept, and older rows have none', async () => {
    const [page, ...others] = await read();
    expect(others).toEqual([]);
    expect(page).toMatchObject([
      { model: 'acme/fast', costNanos: '1000', bill: BILL },
      { model: 'acme/slow-2026', bill: null },
    ]);
  });

  test('begin at the first moment and end before the last, and belong to an organization and a model', async () => {
    await database.knex('models').insert({
      id: 'acme/slow',
      canonical_slug: 'acme/slow-2026',
      name: 'Slow',
      created_at: new Date(AT),
    });
    const modelsIn = async (change: Partial<BilledRange>) =>
      (await read(change)).flat().map(({ model }) => model);
    expect(await modelsIn({ to: new Date(AT + HOUR_MS) })).toEqual(['acme/fast']);
    expect(await modelsIn({ from: new Date(AT + 1) })).toEqual(['acme/slow-2026']);
    expect(await modelsIn({ organizationId: OTHER })).toEqual(['acme/slow-2026']);
    expect(await modelsIn({ organizationId: ACME })).toEqual(['acme/fast']);
    expect(await modelsIn({ model: 'acme/slow' })).toEqual(['acme/slow-2026']);
    expect(await modelsIn({ model: 'acme/slow-2026' })).toEqual(['acme/slow-2026']);
    expect(await modelsIn({ model: 'acme/other' })).toEqual([]);
  });

  test('come in pages that have each generation once, also those of one moment', async () => {
    const pool = new pg.Pool({ connectionString: testDatabase.url, max: 1 });
    await copyRows(pool, 'generations', { copies: 4_100, changes: `'id', original.id || n` });
    await pool.end();
    const pages = await read();
    expect(pages.map(({ length }) => length)).toEqual([2_000, 2_000, 2_000, 2_000, 202]);
    expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(8_202);
  });
});
