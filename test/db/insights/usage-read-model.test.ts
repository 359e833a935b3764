import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createAccountStore } from '../../../db/accounts/account-store.ts';
import { createDatabase, type Database } from '../../support/open-database.ts';
import { createLedgerStore } from '../../../db/ledger/ledger-store.ts';
import { createUsageReadModel } from '../../../db/insights/usage-read-model.ts';
import type { GenerationRecord } from '../../../domain/ledger/generation.ts';
import { newGenerationId, newUuid } from '../../../domain/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { makeGeneration } from '../../support/make-generation.ts';

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  // Half a day from UTC: a period that went by the server's time would show.
  database = createDatabase({
    url: `${testDatabase.url}?options=-c%20timezone%3DPacific%2FAuckland`,
    poolMax: 2,
  });
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

/** A key that spent, in nanodollars, on each of these days; in two shards, with a tenth of it as BYOK. */
async function spendOn(keyId: number, days: Record<string, number>): Promise<void> {
  for (const [day, nanos] of Object.entries(days)) {
    for (const [shard, share] of [
      [0, nanos - 1],
      [7, 1],
    ] as const) {
      const spent = { usage_nanos: share, byok_usage_nanos: share * 10, request_count: 1 };
      await database.knex('key_usage').insert({ key_id: keyId, settled_on: day, shard, ...spent });
      await database.knex.raw(
        `insert into key_usage_totals as t (key_id, shard, usage_nanos, byok_usage_nanos, request_count)
         values (?, ?, ?, ?, 1) on conflict (key_id, shard) do update set
           usage_nanos = t.usage_nanos + excluded.usage_nanos,
           byok_usage_nanos = t.byok_usage_nanos + excluded.byok_usage_nanos`,
        [keyId, shard, share, share * 10],
      );
    }
  }
}

async function usageAt(keyId: number, instant: string): Promise<number[]> {
  const usage = await createUsageReadModel(database.knex).ofKey(keyId, new Date(instant));
  const { usageDaily, usageWeekly, usageMonthly } = usage;
  expect([usage.byokUsageDaily, usage.byokUsageWeekly, usage.byokUsageMonthly, usage.byokUsage]).toEqual(
    [usageDaily, usageWeekly, usageMonthly, usage.usage].map((nanos) => nanos * 10n),
  );
  return [usageDaily, usageWeekly, usageMonthly, usage.usage].map(Number);
}

describe("a key's usage by UTC day, week, month and in all", () => {
  let nextKeyId = 1;
  test.each<[string, Record<string, number>, string, [number, number, number, number]]>([
    ['before midnight', { '2026-03-10': 5, '2026-03-11': 7 }, '2026-03-10T23:59:59.999Z', [5, 5, 5, 12]],
    ['at midnight', { '2026-03-10': 5, '2026-03-11': 7 }, '2026-03-11T00:00:00.000Z', [7, 12, 12, 12]],
    [
      'on a Sunday',
      { '2026-03-02': 2, '2026-03-08': 3, '2026-03-09': 9 },
      '2026-03-08T23:59:59.999Z',
      [3, 5, 5, 14],
    ],
    [
      'on a Monday',
      { '2026-03-02': 2, '2026-03-08': 3, '2026-03-09': 9 },
      '2026-03-09T00:00:00Z',
      [9, 9, 14, 14],
    ],
    ['on the 31st', { '2026-01-01': 2, '2026-01-31': 3 }, '2026-01-31T12:00:00Z', [3, 3, 5, 5]],
    ['in a week of two months', { '2026-03-30': 2, '2026-04-01': 3 }, '2026-04-01T12:00:00Z', [3, 5, 3, 5]],
    [
      'in week 53, which is of two years',
      { '2026-12-27': 2, '2026-12-28': 3, '2026-12-31': 4, '2027-01-03': 5 },
      '2027-01-03T23:59:59Z',
      [5, 12, 5, 14],
    ],
    [
      'in the first week',
      { '2026-12-28': 3, '2027-01-03': 5, '2027-01-04': 6 },
      '2027-01-04T00:00:00Z',
      [6, 6, 11, 14],
    ],
    ['on a leap day', { '2028-02-28': 2, '2028-02-29': 3 }, '2028-02-29T23:00:00Z', [3, 5, 5, 5]],
    ['after a year of nothing', { '2026-03-10': 5 }, '2027-03-10T00:00:00Z', [0, 0, 0, 5]],
  ])('counts the right days %s', async (_when, days, instant, expected) => {
    nextKeyId += 1;
    await spendOn(nextKeyId, days);
    expect(await usageAt(nextKeyId, instant)).toEqual(expected);
  });
});

test('the usage of many keys comes in the order of the request', async () => {
  await spendOn(901, { '2026-03-10': 5 });
  await spendOn(902, { '2026-03-10': 6 });
  const answers = await createUsageReadModel(database.knex).ofKeys(
    [902, 900, 901, 902],
    new Date('2026-03-10T01:00:00Z'),
  );
  expect(answers.map(({ usageDaily }) => usageDaily)).toEqual([6n, 0n, 5n, 6n]);
  expect(await createUsageReadModel(database.knex).ofKeys([], new Date())).toEqual([]);
});

describe('the free requests of a key', () => {
  const NOW = Date.parse('2026-03-11T00:30:00Z');
  const keyId = 77;

  async function record(settledMs: number, facts: Partial<GenerationRecord>): Promise<void> {
    const ledger = createLedgerStore(database.knex);
    await ledger.ensurePartition(new Date(settledMs));
    const generation = makeGeneration({
      id: newGenerationId(settledMs),
      settledAt: new Date(settledMs),
      keyId,
      model: 'a/free',
      costNanos: 0n,
      ...facts,
    });
    await ledger.record(generation, 3);
  }

  test('count completed requests without cost on this UTC day in all workspaces', async () => {
    const [organizationId, workspaceId, otherWorkspaceId] = [newUuid(), newUuid(), newUuid()];
    const accounts = createAccountStore(database.knex);
    await accounts.insertOrganization({
      id: organizationId,
      name: 'Test',
      creditEnforcement: false,
      entitlements: [],
    });
    for (const [index, id] of [workspaceId, otherWorkspaceId].entries()) {
      await accounts.insertWorkspace({
        id,
        organizationId,
        name: 'A workspace',
        slug: `w-${index}`,
        isDefault: index === 0,
        defaultCallbackUrl: null,
        createdBy: null,
      });
    }
    const place = { organizationId, workspaceId };
    const count = (): Promise<number> =>
      createUsageReadModel(database.knex).freeRequestsToday(organizationId, keyId, new Date(NOW));
    expect(await count()).toBe(0);
    await record(NOW, place);
    await record(NOW, place);
    await record(NOW, { ...place, workspaceId: otherWorkspaceId });
    expect(await count()).toBe(3);
    await record(NOW, { ...place, model: 'a/paid', costNanos: 5n });
    await record(NOW, { ...place, model: 'a/paid', status: 'failed' });
    await record(NOW, { ...place, status: 'failed' });
    await record(NOW, { ...place, status: 'cancelled' });
    await record(NOW, { ...place, isByok: true });
    await record(NOW, { ...place, keyId: keyId + 1 });
    await record(NOW - 3_600_000, place);
    expect(await count()).toBe(3);
  });
});
