import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OpenRouter } from '@openrouter/sdk';
import {
  BadRequestResponseError,
  ForbiddenResponseError,
  UnauthorizedResponseError,
} from '@openrouter/sdk/models/errors';
import { DIMENSION_NAMES } from '../../domain/insights/analytics-dimensions.ts';
import { METRIC_NAMES } from '../../domain/insights/analytics-metrics.ts';
import { newGenerationId } from '../../domain/ids.ts';
import { addDays, startOf, utcDayOf } from '../../domain/utc-day.ts';
import { recordGenerations } from '../support/analytics.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { publishedClient } from '../support/published-client.ts';

let gateway: Gateway;
let client: OpenRouter;
const yesterday = addDays(utcDayOf(new Date()), -1);

beforeAll(async () => {
  gateway = await startGateway();
  client = clientOf(gateway.managementKey);
  const settledAt = startOf(yesterday);
  const generation = { settledAt, id: newGenerationId(settledAt.getTime()), provider: 'local' };
  await recordGenerations(gateway, [{ ...generation, model: 'local/echo-1' }]);
});

afterAll(() => gateway.close());

const clientOf = (apiKey: string) => publishedClient(gateway, apiKey);

describe('the published client', () => {
  test('reads the metrics, dimensions, granularities and operators', async () => {
    const { data } = await client.analytics.getAnalyticsMeta();
    expect(data.metrics.map(({ name }) => name)).toEqual(METRIC_NAMES);
    expect(data.dimensions.map(({ name }) => name)).toEqual(DIMENSION_NAMES);
    expect(data.granularities.map(({ name }) => name)).toEqual(['minute', 'hour', 'day', 'week', 'month']);
    expect(data.operators).toContainEqual({ name: 'not_in', valueType: 'array' });
  });

  test('sends a query that uses every field it has', async () => {
    const { data } = await client.analytics.queryAnalytics({
      requestBody: {
        metrics: ['request_count', 'latency_p95'],
        dimensions: ['model', 'api_key_id'],
        filters: [{ field: 'user', operator: 'not_in', value: ['user_x'], includeUnset: true }],
        granularity: 'day',
        timeRange: { start: startOf(yesterday), end: new Date() },
        limit: 10,
        groupLimit: 5,
        orderBy: { field: 'request_count', direction: 'desc' },
      },
    });
    expect(data.metadata).toEqual({ queryTimeMs: expect.any(Number), rowCount: 1, truncated: false });
    expect(data.cachedAt).toEqual(expect.any(Number));
  });

  test('lists activity', async () => {
    const { data } = await client.analytics.getUserActivity({ date: yesterday, groupBy: 'workspace' });
    expect(data).toEqual([
      expect.objectContaining({ date: yesterday, requests: 1, workspaceId: gateway.workspaceId }),
    ]);
  });
});

describe('an error of the published client', () => {
  const ask = (asker: OpenRouter, metric: string): Promise<unknown> =>
    asker.analytics.queryAnalytics({ requestBody: { metrics: [metric] } });

  test.each<[name: string, call: () => Promise<unknown>, type: new (...args: never[]) => Error]>([
    ['400', () => ask(client, 'none'), BadRequestResponseError],
    ['401', () => ask(clientOf('sk-slc-none'), 'request_count'), UnauthorizedResponseError],
    ['403', () => ask(clientOf(gateway.apiKey), 'request_count'), ForbiddenResponseError],
  ])("has the client's own class for status %s", async (_name, call, type) => {
    await expect(call()).rejects.toBeInstanceOf(type);
  });
});
