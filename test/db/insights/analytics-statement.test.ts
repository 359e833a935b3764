import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type AnalyticsReading, analyticsStatement } from '../../../db/insights/analytics-statement.ts';
import { createDatabase, type Database } from '../../support/open-database.ts';
import { sql } from '../../../db/postgres/sql-text.ts';
import { json } from '../../../db/postgres/shape.ts';
import { rowsOf } from '../../../db/postgres/statement.ts';
import { newUuid } from '../../../domain/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

interface Plan {
  Plans?: Plan[];
  [fact: string]: unknown;
}

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 1 });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const classifierId = newUuid();
const ofTopic = { field: 'topic', operator: 'not_in' as const, values: ['billing'] };

test.each([
  [
    'grouped by two of its dimensions',
    { groupBy: { names: ['topic', 'mood'], includeNulls: true }, filters: [] },
    2,
  ],
  ['grouped by whatever it says', { groupBy: { names: [], includeNulls: false }, filters: [] }, 1],
  ['filtered', { filters: [ofTopic] }, 2],
])('an analytics query with tags %s reads only tags around its time range', async (_what, use, count) => {
  const range = { start: new Date('2026-03-10T10:00:00Z'), end: new Date('2026-03-10T11:00:00Z') };
  const reading: AnalyticsReading = {
    scope: { organizationId: newUuid(), workspaceIds: [newUuid()], defaultWorkspaceId: newUuid() },
    parts: [{ source: 'rows', ...range }],
    metrics: ['request_count'],
    dimensions: [],
    filters: [],
    tags: { classifierId, ...use },
    limit: 10,
  };
  await database.knex.raw('select ensure_ledger_partition(?)', [range.start]);
  const scans = (await planOf(reading)).filter((node) => node['Relation Name'] === 'classifier_tags');
  const bounds = scans.map((node) => /created_at >= [^)]*2026-03-03 10:00:00/.test(JSON.stringify(node)));
  expect(bounds).toEqual(Array.from({ length: count }, () => true));
});

async function planOf(reading: AnalyticsReading): Promise<Plan[]> {
  const explain = sql`explain (format json) ${analyticsStatement(reading)}`;
  const [row] = await rowsOf(database.knex, { 'QUERY PLAN': json<{ Plan: Plan }[]>() }, explain);
  return (row?.['QUERY PLAN'] ?? []).flatMap(({ Plan: plan }) => nodesOf(plan));
}

/** Each without the ones below it. */
function nodesOf({ Plans: below = [], ...node }: Plan): Plan[] {
  return [node, ...below.flatMap(nodesOf)];
}
