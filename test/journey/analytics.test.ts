import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { DIMENSION_NAMES, UNRESOLVED_WORKSPACE_ID } from '../../domain/insights/analytics-dimensions.ts';
import { newGenerationId } from '../../domain/ids.ts';
import { addKey, addOrganization, type IssuedKey, type Place } from '../support/accounts.ts';
import { analyze, recordGenerations } from '../support/analytics.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { startReplica } from '../support/replica.ts';

let gateway: Gateway;
let manager: Caller;
let key: IssuedKey;
let foreign: Place;
let foreignKey: IssuedKey;

/** A month long past, with a day before and after. */
const MARCH = { start: '2026-03-01T00:00:00Z', end: '2026-04-01T00:00:00Z' };
const at = (time: string) => ({ settledAt: new Date(time), id: newGenerationId(Date.parse(time) - 500) });

beforeAll(async () => {
  gateway = await startGateway({
    env: { GENERATION_RETENTION: '3650d' },
  });
  manager = createCaller(gateway.origin, gateway.managementKey);
  key = await addKey(gateway, { name: 'Backend' });
  foreign = await addOrganization(gateway);
  foreignKey = await addKey(gateway, foreign);
  const { rows } = await gateway.database.query<{ id: string }>('select id from users');
  const ours = {
    keyId: key.keyId,
    model: 'local/echo-1',
    provider: 'local',
    userId: rows[0]!.id,
    app: { origin: 'https://app.example', title: 'The app' },
  };
  await recordGenerations(gateway, [
    { ...ours, ...at('2026-02-28T23:59:59.999Z') },
    { ...ours, ...at('2026-03-01T00:00:00.000Z'), externalUser: 'end user', country: 'DE' },
    { ...ours, ...at('2026-03-31T23:59:59.999Z'), status: 'failed', latencyMs: null, usage: null },
    { ...ours, ...at('2026-03-15T12:00:00.000Z'), workspaceId: UNRESOLVED_WORKSPACE_ID, isByok: true },
    { ...ours, ...at('2026-04-01T00:00:00.000Z') },
    { ...ours, ...foreign, ...at('2026-03-10T00:00:00.000Z'), keyId: foreignKey.keyId, app: null },
  ]);
});

afterAll(() => gateway.close());

describe('an analytics query', () => {
  test('adds up a month from its first moment up to its end, exclusively', async () => {
    const answer = await analyze(manager, {
      metrics: ['request_count', 'total_usage', 'byok_usage', 'error_rate', 'tokens_total', 'latency_avg'],
      time_range: MARCH,
    });
    expect(answer).toEqual({
      cachedAt: expect.any(Number),
      data: [
        {
          request_count: 3,
          total_usage: 0.000002,
          byok_usage: 0.000001,
          error_rate: 1 / 3,
          tokens_total: 60,
          latency_avg: 120,
        },
      ],
      metadata: { query_time_ms: expect.any(Number), row_count: 1, truncated: false },
    });
  });

  test('names a moment, at most a minute old, up to which it is complete', async () => {
    const query = { metrics: ['request_count'], time_range: MARCH };
    // A process that has just started, on a database that rested, sums for the first time after up to a second.
    const cachedAt = await eventually('sums of this process', async () => {
      const answer = await analyze(manager, query);
      return answer.cachedAt > Date.now() - 60_000 ? answer.cachedAt : undefined;
    });
    expect(cachedAt).toBeLessThan(Date.now() + 60_000);
  });

  test('returns ids that filters accept, their labels, and periods as timestamps', async () => {
    const shown = {
      api_key_id: [key.keyId, 'Backend'],
      model: ['local/echo-1', 'Local: Echo 1'],
      provider: ['local', 'Local upstream'],
      workspace: [gateway.workspaceId, expect.any(String)],
      user: [expect.stringMatching(/^user_/), 'owner@example.com'],
      app: [expect.any(Number), 'The app'],
      origin: ['https://app.example', 'https://app.example'],
      streamed: ['false', 'false'],
    };
    for (const [name, [value, label]] of Object.entries(shown)) {
      const query = {
        metrics: ['request_count'],
        dimensions: [name],
        granularity: 'month',
        time_range: MARCH,
      };
      const { data } = await analyze(manager, query);
      expect(data).toEqual([
        {
          date__month: '2026-03-01T00:00:00.000Z',
          [name]: value,
          [`${name}_label`]: label,
          request_count: 3,
        },
      ]);
      const filters = [{ field: name, operator: 'eq', value: data[0]![name] }];
      expect((await analyze(manager, { ...query, filters })).data).toEqual(data);
    }
  });

  test('finds a key by its hash, and warns if no key has that hash', async () => {
    const by = (value: string) =>
      analyze(manager, {
        metrics: ['request_count'],
        filters: [{ field: 'api_key_id', operator: 'eq', value }],
        time_range: MARCH,
      });
    expect((await by(key.hash)).data).toEqual([{ request_count: 3 }]);
    expect((await by(key.hash.toUpperCase())).data).toEqual([{ request_count: 3 }]);
    for (const hash of [foreignKey.hash, 'f'.repeat(64)]) {
      const { data, warnings } = await by(hash);
      expect([data, warnings]).toEqual([
        [{ request_count: 0 }],
        [`api_key_id ${hash} is the hash of no key`],
      ]);
    }
  });

  test('matches rows without a country only if include_unset is set', async () => {
    const count = async (operator: string, value: unknown, more: object = {}): Promise<unknown> => {
      const filters = [{ field: 'country', operator, value, ...more }];
      return (await analyze(manager, { metrics: ['request_count'], filters, time_range: MARCH })).data[0];
    };
    expect(await count('in', ['DE'])).toEqual({ request_count: 1 });
    expect(await count('in', ['DE'], { include_unset: true })).toEqual({ request_count: 3 });
    expect(await count('in', [], { include_unset: true })).toEqual({ request_count: 2 });
    expect(await count('not_in', ['DE'])).toEqual({ request_count: 0 });
    expect(await count('not_in', [])).toEqual({ request_count: 1 });
    expect(await count('not_in', ['DE'], { include_unset: true })).toEqual({ request_count: 2 });
    expect(await count('neq', 'FR', { include_unset: true })).toEqual({ request_count: 1 });
  });

  test('warns about fields that have no effect', async () => {
    const { warnings } = await analyze(manager, {
      metrics: ['request_count'],
      filters: [
        { field: 'country', operator: 'eq', value: 'DE', include_unset: true },
        { field: 'model', operator: 'in', value: ['a/b'], include_unset: true },
      ],
      granularity: 'day',
      group_limit: 3,
    });
    expect(warnings).toEqual([
      'filters.0.include_unset has no effect on country with eq',
      'filters.1.include_unset has no effect on model with in',
      'group_limit has no effect without dimensions',
    ]);
  });

  test('rounds fractions of a millisecond so that a range keeps exactly its generations', async () => {
    const count = async (start: string, end: string): Promise<unknown> => {
      const query = { metrics: ['request_count'], time_range: { start, end } };
      return (await analyze(manager, query)).data[0]?.['request_count'];
    };
    expect(await count('2026-02-28T23:59:59.999Z', '2026-02-28T23:59:59.999000001Z')).toBe(1);
    expect(await count('2026-02-28T23:59:59.999000001Z', '2026-03-01T00:00:00Z')).toBe(0);
  });

  test.each([
    ['years ago', '0001-01-01T00:00:00Z', '1970-01-01T00:00:00Z'],
    ['to come', '9998-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'],
  ])('finds nothing at times %s', async (_when, start, end) => {
    for (const granularity of ['minute', 'month']) {
      const query = {
        metrics: ['latency_p95'],
        dimensions: ['user'],
        granularity,
        time_range: { start, end },
      };
      expect((await analyze(manager, query)).data).toEqual([]);
    }
    const none = await analyze(manager, {
      metrics: ['latency_p95', 'total_usage'],
      time_range: { start, end },
    });
    expect(none.data).toEqual([{ latency_p95: null, total_usage: 0 }]);
  });

  test('keeps its usual order when sorted by a date that it does not return', async () => {
    const query = { metrics: ['request_count'], dimensions: ['model'], time_range: MARCH };
    const sorted = await analyze(manager, { ...query, order_by: { field: 'date', direction: 'desc' } });
    expect(sorted.data).toEqual((await analyze(manager, query)).data);
    expect(sorted.data).not.toEqual([]);
  });

  test('accepts +00:00 in place of Z', async () => {
    const query = { metrics: ['request_count'], granularity: 'day' };
    const zero = (time: string): string => time.replace('Z', '+00:00');
    const range = { start: zero(MARCH.start), end: zero(MARCH.end) };
    const { data } = await analyze(manager, { ...query, time_range: range });
    expect(data).toEqual((await analyze(manager, { ...query, time_range: MARCH })).data);
    expect(data).not.toEqual([]);
  });

  test('reports truncated: true when limit or group_limit cuts rows', async () => {
    const query = { metrics: ['request_count'], granularity: 'day', time_range: MARCH };
    const { data, metadata } = await analyze(manager, { ...query, limit: 2 });
    expect(data.map((row) => row['date__day'])).toEqual([
      '2026-03-01T00:00:00.000Z',
      '2026-03-15T00:00:00.000Z',
    ]);
    expect(metadata).toMatchObject({ row_count: 2, truncated: true });
    const ofNoGroup = await analyze(manager, { ...query, group_limit: 1 });
    expect(ofNoGroup).toMatchObject({
      data: (await analyze(manager, query)).data,
      metadata: { truncated: false },
    });
    const grouped = await analyze(manager, { ...query, dimensions: ['model'], group_limit: 1 });
    expect(grouped.metadata).toMatchObject({ row_count: 1, truncated: true });
  });

  test.each(DIMENSION_NAMES)('excludes the rows of another organization, by %s', async (dimension) => {
    const everything = { start: '2026-01-01T00:00:00Z', end: '2030-01-01T00:00:00Z' };
    const { data } = await analyze(manager, {
      metrics: ['request_count'],
      dimensions: [dimension],
      time_range: everything,
    });
    expect(data.reduce((sum, row) => sum + Number(row['request_count']), 0)).toBe(5);
  });

  test('finds nothing for ids of another organization', async () => {
    for (const [field, value] of [
      ['workspace', foreign.workspaceId],
      ['workspace', UNRESOLVED_WORKSPACE_ID],
      ['api_key_id', foreignKey.keyId],
    ]) {
      const filters = [{ field, operator: 'eq', value }];
      const { data } = await analyze(manager, { metrics: ['request_count'], filters, time_range: MARCH });
      expect(data).toEqual([{ request_count: 0 }]);
    }
  });

  test('treats SQL and wildcards in filter values as plain text', async () => {
    for (const value of [
      "' or true --",
      '?',
      '$1',
      '\\',
      '"; drop table generations; --',
      '%',
      '\u{1f600}',
    ]) {
      for (const field of ['origin', 'country', 'external_user', 'finish_reason', 'preset', 'provider']) {
        const filters = [
          { field, operator: 'eq', value },
          { field, operator: 'in', value: [value] },
        ];
        const { data } = await analyze(manager, { metrics: ['request_count'], filters, time_range: MARCH });
        expect(data).toEqual([{ request_count: 0 }]);
      }
    }
  });

  test('answers 408 after the statement timeout', async () => {
    const hasty = await startReplica(gateway, ({ database }) => ({
      database: { ...database, statementTimeoutMs: 1_000 },
    }));
    const impatient = createCaller(hasty.origin, gateway.managementKey);
    const client = new pg.Client({ connectionString: gateway.config.database.url });
    await client.connect();
    await client.query('begin; lock table daily_usage');
    try {
      const body = { metrics: ['request_count'], time_range: MARCH };
      const error = await errorOf(await impatient.call('POST', '/analytics/query', { body }));
      expect(error).toEqual({
        code: 408,
        message: 'Operation timed out. Please try again later.',
        metadata: { reason: 'timeout', retryable: true },
      });
    } finally {
      await client.end();
      await hasty.close();
    }
  });
});
