/** Declares the operations that query analytics and list the names that a query may use. */
import { z } from 'zod';
import { DIMENSION_NAMES } from '../../domain/insights/analytics-dimensions.ts';
import { METRIC_NAMES } from '../../domain/insights/analytics-metrics.ts';
import { GRANULARITIES, OPERATOR_NAMES } from '../../domain/insights/analytics-query.ts';
import { analyticsQuery, MAX_QUERY_ENTRIES } from './analytics-query.ts';
import { defineOperations } from '../operation.ts';

const common = { access: 'management', tag: 'Analytics' } as const;
const row = z.record(z.string(), z.union([z.string(), z.number(), z.null()])).meta({ id: 'AnalyticsRow' });

const answer = z
  .object({
    data: z.object({
      cachedAt: z
        .number()
        .meta({ description: 'All requests that ended before this time are counted, in Unix milliseconds.' }),
      data: z.array(row),
      metadata: z.object({
        query_time_ms: z.number(),
        row_count: z.int(),
        truncated: z.boolean().meta({ description: 'True if a limit left out rows.' }),
      }),
      warnings: z.array(z.string()).optional().meta({
        description:
          'Parts of the query that have no effect, or are no longer known; absent if there are none.',
      }),
    }),
  })
  .meta({ id: 'AnalyticsAnswer' });

const named = { display_label: z.string() };

export const analyticsOperations = defineOperations(common, {
  queryAnalytics: {
    route: 'POST /analytics/query',
    isCompressed: true,
    errorMessages: 'exact',
    summary: 'Query analytics',
    description:
      'Aggregates the generations of the whole organization that were settled in the range. Each requested metric and dimension is a column. The column of a dimension holds ids, and `<dimension>_label` holds their names. `date__<granularity>` holds the start of the period. Generations without a value form a group whose value is null. Without dimensions and granularity the result is one row. A query that takes too long is a 408: narrow the range.',
    body: {
      schema: analyticsQuery,
      maxEntries: MAX_QUERY_ENTRIES,
      examples: {
        series: {
          summary: 'Cost by day and model',
          value: { metrics: ['total_usage', 'request_count'], dimensions: ['model'], granularity: 'day' },
        },
        slowest: {
          summary: 'The slowest models of January',
          value: {
            metrics: ['latency_p95', 'error_rate'],
            dimensions: ['model', 'provider'],
            filters: [{ field: 'api_type', operator: 'in', value: ['completions', 'embeddings'] }],
            time_range: { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' },
            order_by: { field: 'latency_p95', direction: 'desc' },
            limit: 10,
          },
        },
        tags: {
          summary: 'With topics of a classifier',
          value: {
            metrics: ['tokens_total'],
            classifier_dimensions: {
              classifier_id: '3f6d1f0e-8f58-4c0b-9a3c-1f7c2f0b7a10',
              dimension_names: ['topic'],
            },
          },
        },
      },
    },
    responses: {
      200: {
        description: 'The groups.',
        schema: answer,
        example: {
          data: {
            cachedAt: 1_769_904_000_000,
            data: [
              {
                date__day: '2026-01-31T00:00:00.000Z',
                model: 'local/echo-1',
                model_label: 'Local: Echo 1',
                total_usage: 1.25,
                request_count: 312,
              },
            ],
            metadata: { query_time_ms: 12, row_count: 1, truncated: false },
          },
        },
      },
    },
    errors: [408],
  },

  getAnalyticsMeta: {
    route: 'GET /analytics/meta',
    summary: 'List the names that an analytics query may use',
    responses: {
      200: {
        description: 'All names that a query may use.',
        schema: z
          .object({
            data: z.object({
              metrics: z.array(
                z.object({
                  name: z.enum(METRIC_NAMES),
                  ...named,
                  display_format: z.enum(['number', 'currency', 'percent', 'latency', 'throughput']),
                  is_rate: z.boolean().meta({ description: 'True if a sum of the metric has no meaning.' }),
                }),
              ),
              dimensions: z.array(z.object({ name: z.enum(DIMENSION_NAMES), ...named })),
              granularities: z.array(z.object({ name: z.enum(GRANULARITIES), ...named })),
              operators: z.array(
                z.object({ name: z.enum(OPERATOR_NAMES), value_type: z.enum(['scalar', 'array']) }),
              ),
            }),
          })
          .meta({ id: 'AnalyticsMeta' }),
        example: {
          data: {
            metrics: [
              { name: 'request_count', display_label: 'Requests', display_format: 'number', is_rate: false },
            ],
            dimensions: [{ name: 'model', display_label: 'Model' }],
            granularities: [{ name: 'day', display_label: 'Day' }],
            operators: [{ name: 'eq', value_type: 'scalar' }],
          },
        },
      },
    },
  },
});

export type AnalyticsAnswerBody = z.output<typeof answer>;
export type AnalyticsMetaBody = z.output<
  (typeof analyticsOperations.getAnalyticsMeta.responses)[200]['schema']
>;
