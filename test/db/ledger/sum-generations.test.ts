import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { runVerifyLedger } from '../../../admin/verify-ledger.ts';
import { createCreditStore } from '../../../db/accounts/credit-store.ts';
import { createAnalyticsReadModel } from '../../../db/insights/analytics-read-model.ts';
import { createUsageReadModel } from '../../../db/insights/usage-read-model.ts';
import { createLedgerConnection, type LedgerConnection } from '../../../db/ledger/ledger-connection.ts';
import { encodeGenerations } from '../../../db/ledger/ledger-rows.ts';
import { APPEND_GENERATIONS } from '../../../db/ledger/ledger-statement.ts';
import { createPayerCounters } from '../../../db/ledger/payer-counters.ts';
import { run, withValues } from '../../../db/postgres/statement.ts';
import { newUuid } from '../../../domain/ids.ts';
import type { GenerationRecord } from '../../../domain/ledger/generation.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { makeGeneration } from '../../support/make-generation.ts';
import { createDatabase, type Database } from '../../support/open-database.ts';

let testDatabase: TestDatabase;
let database: Database;
let connections: LedgerConnection[];

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 4 });
  connections = [0, 1].map((shard) =>
    createLedgerConnection({ url: testDatabase.url, shard, silenceMs: 10_000 }),
  );
  await connections[0]!.ensurePartitions([new Date()]);
});

afterEach(async () => {
  for (const connection of connections) await connection.close();
  await database.close();
  await testDatabase.drop();
});

const place = { organizationId: newUuid(), workspaceId: newUuid() };
const make = (count: number, change: Partial<GenerationRecord> = {}): GenerationRecord[] =>
  Array.from({ length: count }, (_, n) => makeGeneration({ ...place, keyId: 1 + (n % 3), ...change }));
const append = (generations: GenerationRecord[], n = 0) => connections[n]!.record(generations, true);
const sum = async (n: number): Promise<number> => (await connections[n]!.sum(10_000)).moved;

async function waiting(): Promise<number> {
  const { rows } = await database.knex.query({
    text: 'select count(*)::integer n from unsummed',
    values: [],
  });
  return (rows[0] as { n: number }).n;
}

async function expectAgreement(): Promise<void> {
  expect((await runVerifyLedger(database.knex)).text).toMatch(/The ledger agrees\.$/);
}

/** Begins a transaction that writes generations, as a session that is frozen before its commit. */
async function frozen(generations: GenerationRecord[]): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: testDatabase.url });
  await client.connect();
  await client.query('begin');
  await run(client, withValues(APPEND_GENERATIONS, encodeGenerations(generations, 2, new Map())));
  return client;
}

describe('generations that are summed later', () => {
  test('enter the ledger at once, and the sums with the next sum', async () => {
    await append(make(10));
    expect(await waiting()).toBe(10);
    await expectAgreement();
    expect([await sum(0), await sum(0), await waiting()]).toEqual([10, 0, 0]);
    await expectAgreement();
  });

  test('enter the ledger while another session locks all sums', async () => {
    const client = new pg.Client({ connectionString: testDatabase.url });
    await client.connect();
    await client.query(`begin; lock table organization_usage_totals, workspace_usage, key_usage_totals, key_usage,
      hourly_usage, daily_usage, ledger_sums in share mode`);
    await append(make(2));
    expect(await waiting()).toBe(2);
    await client.end();
    await expectAgreement();
  });

  test('count once when they are written again before or after their sum', async () => {
    const generations = make(5);
    await append(generations);
    await append(generations, 1);
    await sum(0);
    await append(generations);
    await connections[1]!.record(generations);
    expect(await waiting()).toBe(0);
    await expectAgreement();
  });

  test('enter the sums in several statements of whole transactions when many wait', async () => {
    for (let n = 0; n < 4; n += 1) await append(make(3));
    const reached = async () =>
      (await database.knex.query({ text: 'select reached::text from ledger_sums', values: [] })).rows;
    const before = await reached();
    const first = await connections[0]!.sum(5);
    expect([first, await waiting(), await reached()]).toEqual([{ moved: 6, hasMore: true }, 6, before]);
    await expectAgreement();
    const last = await connections[1]!.sum(7);
    expect([last, await waiting()]).toEqual([{ moved: 6, hasMore: false }, 0]);
    expect(await reached()).not.toEqual(before);
    await expectAgreement();
  });

  test('count once when several processes write and sum at the same time', async () => {
    const moved = await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        await append(make(7), n % 2);
        return sum((n + 1) % 2);
      }),
    );
    const rest = await sum(0);
    expect(moved.reduce((total, n) => total + n, rest)).toBe(280);
    expect(await waiting()).toBe(0);
    await expectAgreement();
  });

  test('enter the sums when their transaction commits after later ones were summed', async () => {
    const late = await frozen(make(3));
    for (let n = 0; n < 3; n += 1) {
      await append(make(2));
      expect(await sum(0)).toBe(2);
    }
    await late.query('commit');
    await late.end();
    expect(await waiting()).toBe(3);
    expect(await sum(1)).toBe(3);
    await expectAgreement();
  });

  test('count once when a session that was given up on commits after others wrote its rows', async () => {
    const generations = make(4);
    const late = await frozen(generations.slice(0, 2));
    const again = append(generations);
    await late.query('commit');
    await late.end();
    await again;
    expect(await sum(0)).toBe(4);
    await expectAgreement();
  });

  test('enter the sums after a restore, which numbers transactions from the beginning', async () => {
    await append(make(2));
    await sum(0);
    await append(make(3));
    await database.knex.query({ text: `update ledger_sums set reached = '900000000000'`, values: [] });
    expect(await waiting()).toBe(3);
    expect(await sum(0)).toBe(3);
    await append(make(1));
    expect(await sum(1)).toBe(1);
    await expectAgreement();
  });

  test('enter the sums while a publication sends all tables to another server', async () => {
    await database.knex.query({ text: 'create publication upgrade for all tables', values: [] });
    await append(make(2));
    expect(await sum(0)).toBe(2);
    await expectAgreement();
  });

  test('enter all sums before the moment up to which analytics are complete', async () => {
    const clock = async (): Promise<Date> =>
      (
        (await database.knex.query({ text: 'select clock_timestamp() at', values: [] })).rows[0] as {
          at: Date;
        }
      ).at;
    const summedTo = () => createAnalyticsReadModel(database.knex).summedTo();
    await append(make(1));
    const [written, before] = [await clock(), await summedTo()];
    await sum(0);
    const after = await summedTo();
    expect([before < written, written <= after]).toEqual([true, true]);
    expect([await append(make(1)), await summedTo()]).toEqual([[], after]);
  });

  test('leave the sums unchanged when the session ends before its commit', async () => {
    const late = await frozen(make(3));
    await late.end();
    expect([await waiting(), await sum(0)]).toEqual([0, 0]);
    await expectAgreement();
  });
});

describe('what is spent', () => {
  test('contains generations that are not summed yet, for limits, balances and keys', async () => {
    const day = new Date('2026-01-05T12:00:00Z');
    const sides = [
      ['organization', place.organizationId],
      ['workspace', place.workspaceId],
      ['key', 1],
    ] as const;
    const spentNow = async () => ({
      counters: await createPayerCounters(database.knex).read(
        sides.map(([payer, id]) => ({ payer, id, sinceDay: null })),
      ),
      sinceMonday: await createPayerCounters(database.knex).read(
        sides.slice(1).map(([payer, id]) => ({ payer, id, sinceDay: day.getTime() / 86_400_000 - 0.5 })),
      ),
      credit: await createCreditStore(database.knex).totals(place.organizationId),
      key: await createUsageReadModel(database.knex).ofKey(1, day),
    });
    const sunday = new Date('2026-01-04T12:00:00Z');
    await append(make(2, { keyId: 1, settledAt: day }));
    await append(make(1, { keyId: 1, settledAt: day, isByok: true }));
    await append(make(4, { keyId: 1, settledAt: sunday }));
    const before = await spentNow();
    const lifetime = { usage: 6_000n, byok: 1_000n };
    expect(before.counters.map(({ spent }) => spent)).toEqual([lifetime, lifetime, lifetime]);
    const recent = { usage: 2_000n, byok: 1_000n };
    expect(before.sinceMonday.map(({ spent }) => spent)).toEqual([recent, recent]);
    expect(before.credit.usedNanos).toBe(6_000n);
    expect(before.key).toMatchObject({
      usage: 6_000n,
      usageDaily: 2_000n,
      usageWeekly: 2_000n,
      byokUsage: 1_000n,
    });
    await sum(0);
    expect(await spentNow()).toEqual(before);
  });

  test('stands in a new credit before it is summed', async () => {
    await append(make(3));
    await database.knex.query({
      text: `insert into organizations (id, name) values ($1, 'O')`,
      values: [place.organizationId],
    });
    const entry = { amountNanos: 5n, note: '' };
    await createCreditStore(database.knex).add(place.organizationId, entry);
    const { rows } = await database.knex.query({ text: 'select used_nanos from credit_entries', values: [] });
    expect(rows).toEqual([{ used_nanos: '3000' }]);
  });
});
