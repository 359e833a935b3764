import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAnalyticsLookups } from '../../../db/insights/analytics-lookups.ts';
import { createAnalyticsReadModel } from '../../../db/insights/analytics-read-model.ts';
import { createDatabase, type Database } from '../../support/open-database.ts';
import type { TimeRange } from '../../../domain/insights/analytics-query.ts';
import { createActivityService } from '../../../services/insights/activity-service.ts';
import { createConcurrencyLimit } from '../../../services/concurrency-limit.ts';
import { type AnalyticsLedger, writeLedger } from '../../support/analytics-scene.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const NOW = new Date('2027-01-05T12:34:56.789Z');
const DAY_MS = 86_400_000;
/** Of the random ledger. */
const SEED = 7;

let testDatabase: TestDatabase;
let database: Database;
let ledger: AnalyticsLedger;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 2 });
  ledger = await writeLedger(database.knex, testDatabase.url, SEED, 300);
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

/** The service over the real ledger, and what its statements read, in their order. */
function openActivity(onRead: (ranges: TimeRange[]) => void = () => {}) {
  const analytics = createAnalyticsReadModel(database.knex);
  const ranges: TimeRange[] = [];
  const activity = createActivityService({
    knex: database.knex,
    lookups: createAnalyticsLookups(database.knex),
    analytics: {
      ...analytics,
      async read(reading) {
        ranges.push({ start: reading.parts[0]!.start, end: reading.parts.at(-1)!.end });
        onRead(ranges);
        return analytics.read(reading);
      },
    },
    concurrencyLimit: createConcurrencyLimit({ maxConcurrent: 2, waitMs: 60_000 }),
    now: () => NOW,
  });
  return { activity, ranges };
}

test('the activity of a user is read in 30 statements of one day', async () => {
  const { activity, ranges } = openActivity();
  const { organizationId } = ledger.account;
  const here = new AbortController().signal;
  const items = await activity.list(organizationId, { userId: 'user_a', byWorkspace: false }, here);
  expect(ranges).toHaveLength(30);
  expect(ranges.every(({ start, end }) => end.getTime() - start.getTime() === DAY_MS)).toBe(true);
  expect(ranges.map(({ end }) => end)).toEqual([
    new Date('2027-01-05T00:00:00Z'),
    ...ranges.slice(0, -1).map(({ start }) => start),
  ]);
  const { context, generations } = ledger;
  const since = new Date('2026-12-06T00:00:00Z');
  const own = generations.filter(
    ({ record: { userId, settledAt, organizationId: owner } }) =>
      userId === 'user_a' &&
      owner === context.organizationId &&
      settledAt >= since &&
      settledAt < new Date('2027-01-05T00:00:00Z'),
  );
  expect(own.length).toBeGreaterThan(10);
  expect(items.reduce((sum, { requests }) => sum + requests, 0)).toBe(own.length);
  expect(items.map(({ date }) => date)).toEqual(
    items
      .map(({ date }) => date)
      .toSorted()
      .toReversed(),
  );
});

test('the activity of all users is read in one statement', async () => {
  const { activity, ranges } = openActivity();
  const here = new AbortController().signal;
  await activity.list(ledger.account.organizationId, { byWorkspace: true }, here);
  expect(ranges).toEqual([
    { start: new Date('2026-12-06T00:00:00Z'), end: new Date('2027-01-05T00:00:00Z') },
  ]);
});

test('the activity is read no further once the caller has left', async () => {
  const leaving = new AbortController();
  const { activity, ranges } = openActivity(({ length }) => {
    if (length === 3) leaving.abort();
  });
  const question = { userId: 'user_a', byWorkspace: false };
  await expect(activity.list(ledger.account.organizationId, question, leaving.signal)).rejects.toMatchObject({
    code: 'client_cancelled',
  });
  expect(ranges).toHaveLength(3);
});
