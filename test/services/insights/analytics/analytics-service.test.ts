import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createDatabase, type Database } from '../../../support/open-database.ts';
import { DIMENSION_NAMES, type Dimension } from '../../../../domain/insights/analytics-dimensions.ts';
import { problemOfFilter } from '../../../../domain/insights/analytics-filter-rules.ts';
import { METRIC_NAMES, type Metric } from '../../../../domain/insights/analytics-metrics.ts';
import {
  type AnalyticsFilter,
  type AnalyticsQuery,
  GRANULARITIES,
  MAX_ROWS,
  OPERATOR_NAMES,
  TAG_OPERATORS,
} from '../../../../domain/insights/analytics-query.ts';
import { LATENCY_BOUNDS_MS } from '../../../../domain/ledger/histogram.ts';
import type {
  AnalyticsAnswer,
  AnalyticsService,
  LabelledRow,
} from '../../../../services/insights/analytics/analytics-service.ts';
import {
  type AnalyticsLedger,
  COUNTRIES,
  MODELS,
  moments,
  openAnalytics,
  TOPICS,
  writeLedger,
} from '../../../support/analytics-scene.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { type NaiveGroup, naiveGroups, naiveMetric, percentileOf } from '../../../support/naive-analytics.ts';

/** Generations of each. */
const SIZES = [0, 1, 300, 600];

let testDatabase: TestDatabase;
let database: Database;
let analytics: AnalyticsService;
const ledgers: AnalyticsLedger[] = [];
/** Of the ledgers and the queries: what fast-check prints of a failure is all that it takes to repeat it, here. */
const seed = Math.floor(Math.random() * 2 ** 31);

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 4 });
  for (const [n, size] of SIZES.entries()) {
    ledgers.push(await writeLedger(database.knex, testDatabase.url, seed + n, size));
  }
  analytics = openAnalytics(database.knex);
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

/** Anything that the contract lets in, and of every ledger the ids of another one. */
function queries(ledger: AnalyticsLedger, other: AnalyticsLedger): fc.Arbitrary<AnalyticsQuery> {
  const values: Record<Dimension, (string | number)[]> = {
    model: [...MODELS, 'c/none'],
    provider: ['p', 'none'],
    api_key_id: [...ledger.account.keys, ...other.account.keys].flatMap(({ id, hash }) => [id, hash]),
    workspace: [...ledger.account.workspaceIds, ...other.account.workspaceIds],
    user: ['user_a', 'user_c'],
    external_user: ['x', 'z'],
    app: [...ledger.appIds, 999_999],
    origin: ['https://one.example', 'https://none.example'],
    country: COUNTRIES,
    region: ['global', 'us'],
    api_type: ['completions', 'tts'],
    finish_reason: ['stop', 'none'],
    status: ['completed', 'failed'],
    streamed: ['true', 'false'],
    preset: ['3c9c3b1e-0000-4000-8000-000000000001', 'none'],
  };
  const filters: fc.Arbitrary<AnalyticsFilter> = fc
    .tuple(fc.constantFrom(...DIMENSION_NAMES), fc.constantFrom(...OPERATOR_NAMES), fc.boolean())
    .chain(([field, operator, includeUnset]) => {
      const one = fc.constantFrom(...values[field]);
      const value = operator === 'in' || operator === 'not_in' ? fc.array(one, { maxLength: 3 }) : one;
      return value.map((some) => ({ field, operator, value: some, includeUnset }));
    })
    .filter(({ field, operator, value }) => problemOfFilter(field, operator, value) === undefined);
  const tagFilter = fc
    .tuple(fc.constantFrom('topic', 'mood', 'none'), fc.constantFrom(...TAG_OPERATORS))
    .chain(([field, operator]) => {
      const isList = operator === 'in' || operator === 'not_in';
      const some = fc.array(
        fc.constantFrom(...TOPICS),
        isList ? { maxLength: 2 } : { minLength: 1, maxLength: 1 },
      );
      return some.map((list) => ({ field, operator, values: list }));
    });
  const classifier = fc.record(
    {
      id: fc.constant(ledger.classifierId),
      groupBy: fc.record({
        names: fc.uniqueArray(fc.constantFrom('topic', 'mood'), { maxLength: 2 }),
        includeNulls: fc.boolean(),
      }),
      filters: fc.array(tagFilter, { maxLength: 2 }),
    },
    { requiredKeys: ['id', 'filters'] },
  );
  return fc
    .record(
      {
        metrics: fc.uniqueArray(fc.constantFrom(...METRIC_NAMES), { minLength: 1 }),
        dimensions: fc.uniqueArray(fc.constantFrom(...DIMENSION_NAMES), { maxLength: 2 }),
        filters: fc.array(filters, { maxLength: 2 }),
        granularity: fc.constantFrom(...GRANULARITIES),
        range: fc
          .tuple(moments, moments)
          .map(([a, b]) => (a < b ? { start: a, end: b } : { start: b, end: a })),
        classifier: fc.oneof(
          { arbitrary: fc.constant(undefined), weight: 3 },
          { arbitrary: classifier, weight: 1 },
        ),
        by: fc.tuple(fc.nat(), fc.constantFrom('asc' as const, 'desc' as const)),
      },
      { requiredKeys: ['metrics', 'dimensions', 'filters'] },
    )
    .filter(({ range }) => range === undefined || range.start < range.end)
    .map(({ classifier: tags, by, ...query }) => {
      const fields = [
        ...new Set([
          ...query.metrics,
          'request_count' as const,
          ...query.dimensions,
          ...(query.granularity ? ['date' as const] : []),
        ]),
      ];
      return {
        ...query,
        ...(tags === undefined ? {} : { classifier: tags }),
        ...(by === undefined ? {} : { orderBy: { field: fields[by[0] % fields.length]!, direction: by[1] } }),
      } as AnalyticsQuery;
    });
}

const BY_COUNT = { field: 'request_count', direction: 'desc' } as const;

const cases = fc.constantFrom(0, 1, 2, 2, 3, 3, 3).chain((n) =>
  fc
    .constant(null)
    .chain(() => queries(ledgers[n]!, ledgers[(n + 1) % SIZES.length]!))
    .map((query) => ({ ledger: ledgers[n]!, query })),
);

const ask = ({
  ledger,
  query,
}: {
  ledger: AnalyticsLedger;
  query: AnalyticsQuery;
}): Promise<AnalyticsAnswer> =>
  analytics.query(ledger.account.organizationId, query, new AbortController().signal);

function keyOf({
  at,
  dimensions,
  tags,
}: Pick<LabelledRow, 'dimensions' | 'tags'> & { at: Date | string | null }): string {
  return JSON.stringify([at, dimensions, tags]);
}

function expectMetric(metric: Metric, value: number | null, { of }: NaiveGroup): void {
  if (metric !== 'latency_p50' && metric !== 'latency_p95') {
    expect(value).toBe(naiveMetric(metric, of));
    return;
  }
  const exact = percentileOf(metric === 'latency_p50' ? 0.5 : 0.95, of);
  if (exact === null || value === null) {
    expect(value).toBe(exact);
    return;
  }
  // A histogram knows in which bucket it lies.
  const bucket = LATENCY_BOUNDS_MS.filter((bound) => bound <= exact).length;
  expect(value).toBeGreaterThanOrEqual(bucket === 0 ? 0 : LATENCY_BOUNDS_MS[bucket - 1]!);
  expect(value).toBeLessThanOrEqual(LATENCY_BOUNDS_MS[bucket] ?? LATENCY_BOUNDS_MS.at(-1)!);
}

/** Below 0 when `a` comes before `b`; null is always last. */
function compare(a: unknown, b: unknown, direction = 1): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  if (typeof a === 'string' && typeof b === 'string') {
    return direction * Buffer.compare(Buffer.from(a), Buffer.from(b));
  }
  return direction * (Number(a) - Number(b));
}

/** `counts`: the requests of each row, which need not be among its metrics. */
function inOrder(
  query: AnalyticsQuery,
  counts: ReadonlyMap<string, number | null | undefined>,
  [a, b]: [LabelledRow, LabelledRow],
): number {
  const { orderBy, metrics, dimensions } = query;
  const fieldOf = (row: LabelledRow): unknown => {
    if (orderBy?.field === 'date') return row.at;
    if (orderBy?.field === 'request_count') return counts.get(keyOf(row));
    const dimension = dimensions.findIndex((name) => name === orderBy?.field);
    return dimension >= 0
      ? row.dimensions[dimension]
      : row.metrics[metrics.findIndex((name) => name === orderBy?.field)];
  };
  const steps = [
    orderBy === undefined
      ? compare(a.at, b.at) || compare(a.metrics[0], b.metrics[0], -1)
      : compare(fieldOf(a), fieldOf(b), orderBy.direction === 'asc' ? 1 : -1),
    compare(a.at?.getTime() ?? null, b.at?.getTime() ?? null),
    ...a.dimensions.map((value, n) => compare(value, b.dimensions[n])),
    ...a.tags.map((value, n) => compare(value, b.tags[n])),
  ];
  return steps.find((step) => step !== 0) ?? 0;
}

describe('random queries over random ledgers', () => {
  test('return the sums of a naive count over all generations', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const { rows, isTruncated } = await ask({ ...one, query: { ...one.query, limit: MAX_ROWS } });
        const groups = naiveGroups(one.query, one.ledger.generations, one.ledger.context);
        const expected = new Map(groups.map((group) => [keyOf(group), group]));
        expect(rows.map(keyOf).toSorted()).toEqual([...expected.keys()].toSorted());
        expect(isTruncated).toBe(false);
        for (const row of rows) {
          for (const [n, metric] of one.query.metrics.entries()) {
            expectMetric(metric, row.metrics[n]!, expected.get(keyOf(row))!);
          }
        }
      }),
      { seed, numRuns: 300 },
    );
  });

  test('come in order, and a limit keeps the beginning', async () => {
    const limits = fc.record(
      { limit: fc.integer({ min: 1, max: 20 }), groupLimit: fc.integer({ min: 1, max: 3 }) },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(cases, limits, async (one, { limit, groupLimit }) => {
        const all = (await ask({ ...one, query: { ...one.query, limit: MAX_ROWS } })).rows;
        const counted = { ...one.query, metrics: ['request_count' as const], limit: MAX_ROWS };
        const { rows } = await ask({ ...one, query: { ...counted, orderBy: BY_COUNT } });
        const counts = new Map(rows.map((row) => [keyOf(row), row.metrics[0]]));
        const inTheirOrder = all.toSorted((a, b) => inOrder(one.query, counts, [a, b]));
        expect(all.map(keyOf)).toEqual(inTheirOrder.map(keyOf));
        const query = {
          ...one.query,
          ...(limit === undefined ? {} : { limit }),
          ...(groupLimit === undefined ? {} : { groupLimit }),
        };
        const some = await ask({ ...one, query });
        const seen = new Map<string, number>();
        const isGrouped = one.query.dimensions.length > 0 || one.query.classifier?.groupBy !== undefined;
        const kept = all.filter((row) => {
          const group = keyOf({ ...row, at: null });
          seen.set(group, (seen.get(group) ?? 0) + 1);
          return groupLimit === undefined || !isGrouped || seen.get(group)! <= groupLimit;
        });
        expect(some.rows.map(keyOf)).toEqual(kept.slice(0, limit ?? MAX_ROWS).map(keyOf));
        expect(some.isTruncated).toBe(some.rows.length < all.length);
      }),
      { seed, numRuns: 100 },
    );
  });
});
