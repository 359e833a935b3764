import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DIMENSION_NAMES } from '../../domain/insights/analytics-dimensions.ts';
import { METRIC_NAMES } from '../../domain/insights/analytics-metrics.ts';
import { newUuid } from '../../domain/ids.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let manager: Caller;

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(() => gateway.close());

/** More than any list or object of a query has. */
const NUMBERS = Array.from({ length: 30_000 }, (_, n) => n);
/** Strings that are no keys. */
const HOSTILE = Array.from({ length: 200 }, (_, n) => `${n}'; drop table generations; --`.padEnd(200, '('));

async function refusal(body: object | string): Promise<Record<string, string>> {
  const error = await errorOf(await manager.call('POST', '/analytics/query', { body }));
  expect([error.code, error.message]).toEqual([400, 'Invalid request parameters']);
  return Object.fromEntries((error.metadata.issues ?? []).map(({ path, message }) => [path, message]));
}

test('a query takes 1,000 values of 1,024 characters', async () => {
  const value = Array.from({ length: 1_000 }, (_, n) => `${n}`.padEnd(1_024, 'x'));
  const body = { metrics: ['request_count'], filters: [{ field: 'country', operator: 'in', value }] };
  const response = await manager.call('POST', '/analytics/query', { body });
  expect([response.status, await response.json()]).toMatchObject([
    200,
    { data: { data: [{ request_count: 0 }] } },
  ]);
});

describe('POST /analytics/query', () => {
  const good = { metrics: ['request_count'] };
  const filter = (field: string, operator: string, value: unknown) => ({
    ...good,
    filters: [{ field, operator, value }],
  });
  const range = (start: string, end: string) => ({ ...good, time_range: { start, end } });
  const classifier_id = newUuid();
  const path = 'body.filters.0.value';

  test.each<[string, object, string, string | RegExp]>([
    ['without metrics', {}, 'body.metrics', 'is required'],
    ['with none', { metrics: [] }, 'body.metrics', /at least 1/],
    [
      'with an unknown one',
      { metrics: ['cost'] },
      'body.metrics.0',
      `must be one of ${METRIC_NAMES.join(', ')}`,
    ],
    [
      'with an unknown dimension',
      { ...good, dimensions: ['date'] },
      'body.dimensions.0',
      `must be one of ${DIMENSION_NAMES.join(', ')}`,
    ],
    ['with three', { ...good, dimensions: ['model', 'user', 'app'] }, 'body.dimensions', /at most 2/],
    [
      'with an unknown filter',
      filter('constructor', 'eq', 'x'),
      'body.filters.0.field',
      /^must be one of model/,
    ],
    [
      'with an unknown operator',
      filter('model', 'like', 'x'),
      'body.filters.0.operator',
      /^must be one of eq/,
    ],
    [
      'comparing strings',
      filter('model', 'gt', 'a/b'),
      'body.filters.0.operator',
      'cannot be gt: the values of model are strings, which are not compared by size; use eq, neq, in or not_in',
    ],
    ['with a list for eq', filter('model', 'eq', ['a/b']), path, /must not be a list/],
    ['with one value for in', filter('model', 'in', 'a/b'), path, /must be a list/],
    ['with the name of a model', filter('model', 'eq', 'Echo 1'), path, /permaslug/],
    ['with the name of a key', filter('api_key_id', 'in', [1, 'Backend']), `${path}.1`, /hash/],
    ['with a hash to compare', filter('api_key_id', 'gt', 'a'.repeat(64)), path, /numeric/],
    ['with an address for a user', filter('user', 'eq', 'a@b.c'), path, /user_<id>/],
    ['with the name of a workspace', filter('workspace', 'eq', 'default'), path, /UUID/],
    ['with the title of an app', filter('app', 'eq', 'The app'), path, /numeric/],
    ['with a fraction of an app', filter('app', 'eq', 1.5), path, /numeric/],
    [
      'with an unknown status',
      filter('status', 'eq', 'done'),
      path,
      'must be one of completed, failed, cancelled, expired',
    ],
    ['with NUL', filter('country', 'eq', 'a\0'), path, /without NUL/],
    ['with half a character', filter('country', 'eq', '\ud800'), path, /Unicode/],
    ['with an overlong value', filter('country', 'eq', 'x'.repeat(1_025)), path, /1024/],
    ['with too many values', filter('country', 'in', Array.from({ length: 1_001 }, String)), path, /1000/],
    [
      'with an unknown granularity',
      { ...good, granularity: 'quarter' },
      'body.granularity',
      /minute, hour, day/,
    ],
    [
      'without seconds',
      range('2026-01-01T00:00Z', '2026-01-02T00:00:00Z'),
      'body.time_range.start',
      /seconds/,
    ],
    [
      'with a day that is not',
      range('2026-02-30T00:00:00Z', '2026-03-02T00:00:00Z'),
      'body.time_range.start',
      /UTC/,
    ],
    [
      'in another zone',
      range('2026-01-01T00:00:00+02:00', '2026-01-02T00:00:00Z'),
      'body.time_range.start',
      /UTC/,
    ],
    [
      'for no time',
      range('2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z'),
      'body.time_range.end',
      'must be after start',
    ],
    [
      'backwards',
      range('2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z'),
      'body.time_range.end',
      'must be after start',
    ],
    ['with no limit at all', { ...good, limit: 10_001 }, 'body.limit', /at most 10000/],
    ['with a group limit of nothing', { ...good, group_limit: 0 }, 'body.group_limit', /at least 1/],
    [
      'sorted by what is not asked for',
      { ...good, dimensions: ['model'], order_by: { field: 'total_usage', direction: 'asc' } },
      'body.order_by.field',
      'must be one of request_count, model, date in this query',
    ],
    [
      'sorted by a column of a classifier that it does not have',
      {
        ...good,
        classifier_dimensions: { classifier_id, dimension_names: ['topic'] },
        order_by: { field: 'clf_dimension_name', direction: 'asc' },
      },
      'body.order_by.field',
      'must be one of request_count, topic, date in this query',
    ],
    [
      'with two classifiers',
      {
        ...good,
        classifier_dimensions: { classifier_id },
        classifier_filters: {
          classifier_id: newUuid(),
          filters: [{ field: 'a', operator: 'eq', value: 'x' }],
        },
      },
      'body.classifier_filters.classifier_id',
      'must be that of classifier_dimensions',
    ],
    [
      'with a column twice',
      {
        ...good,
        dimensions: ['model'],
        classifier_dimensions: { classifier_id, dimension_names: ['topic', 'model_label'] },
      },
      'body.classifier_dimensions.dimension_names.1',
      'is the name of another column of this query',
    ],
    [
      'with a tag compared',
      {
        ...good,
        classifier_filters: { classifier_id, filters: [{ field: 'a', operator: 'gt', value: 'x' }] },
      },
      'body.classifier_filters.filters.0.operator',
      'must be one of eq, neq, in, not_in',
    ],
    [
      'with a classifier that is not',
      { ...good, classifier_dimensions: { classifier_id } },
      'body.classifier_dimensions.classifier_id',
      'is no active classifier',
    ],
  ])('refuses a query %s', async (_what, body, where, message) => {
    const issues = await refusal(body);
    expect(Object.keys(issues)).toContain(where);
    if (typeof message === 'string') expect(issues[where]).toBe(message);
    else expect(issues[where]).toMatch(message);
  });

  test('answers 403 to a regular key, as the other analytics routes do', async () => {
    for (const [method, target] of [
      ['POST', '/analytics/query'],
      ['GET', '/analytics/meta'],
      ['GET', '/activity'],
    ] as const) {
      const error = await errorOf(await createCaller(gateway.origin, gateway.apiKey).call(method, target));
      expect([error.code, error.message]).toEqual([403, 'Only management keys can perform this operation']);
    }
  });

  test.each<[string, string | object, RegExp]>([
    [
      'nested without end',
      `{"metrics":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      /nested deeper than 200/,
    ],
    ['nested, and broken off', `{"metrics":${'['.repeat(500_000)}`, /nested deeper than 200/],
    ['of names without end', Object.fromEntries(NUMBERS.map((n) => [`n${n}`, n])), /at most 1000 entries/],
    ['of objects without end', NUMBERS.map(() => ({})), /at most 1000 entries/],
    ['of metrics without end', { metrics: NUMBERS.map(() => 'x') }, /at most 1000 entries/],
    ['of more metrics than there are', { metrics: NUMBERS.slice(0, 201) }, /at most 64 items/],
    ['of a list that says how long it is', { ...good, filters: { length: 1e9 } }, /at most 20/],
    [
      'of values that are not',
      { ...good, filters: Array.from({ length: 20 }, () => filter('api_key_id', 'in', HOSTILE).filters[0]) },
      /numeric id of a key or its hash/,
    ],
  ])('refuses a hostile body %s', async (_what, body, message) => {
    expect(Object.values(await refusal(body)).join()).toMatch(message);
  });
});
