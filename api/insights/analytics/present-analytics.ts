/** Presents the answers to analytics queries, and the fields and operators that queries can use. */
import type { AnalyticsAnswerBody, AnalyticsMetaBody } from '../../../contract/insights/analytics.ts';
import { DIMENSION_NAMES, DIMENSIONS } from '../../../domain/insights/analytics-dimensions.ts';
import { METRIC_NAMES, METRICS } from '../../../domain/insights/analytics-metrics.ts';
import {
  type AnalyticsQuery,
  GRANULARITIES,
  OPERATOR_NAMES,
  OPERATORS,
  tagColumnNames,
} from '../../../domain/insights/analytics-query.ts';
import type { AnalyticsAnswer, LabelledRow } from '../../../services/insights/analytics/analytics-service.ts';

type Row = AnalyticsAnswerBody['data']['data'][number];

export function presentAnalytics(query: AnalyticsQuery, answer: AnalyticsAnswer): AnalyticsAnswerBody {
  return {
    data: {
      cachedAt: answer.readAt.getTime(),
      data: answer.rows.map((row) => presentRow(query, row)),
      metadata: {
        query_time_ms: answer.queryTimeMs,
        row_count: answer.rows.length,
        truncated: answer.isTruncated,
      },
      ...(answer.warnings.length === 0 ? {} : { warnings: answer.warnings }),
    },
  };
}

/** Presents a row. The order of columns: period, dimensions with their labels, tags, metrics. */
function presentRow({ metrics, dimensions, granularity, classifier }: AnalyticsQuery, row: LabelledRow): Row {
  const names = classifier?.groupBy?.names ?? [];
  const tagColumns = tagColumnNames(names);
  return Object.fromEntries([
    ...(granularity === undefined ? [] : [[`date__${granularity}`, row.at?.toISOString() ?? null]]),
    ...dimensions.flatMap((name, n) => [
      [name, row.dimensions[n] ?? null],
      [`${name}_label`, row.labels[n] ?? null],
    ]),
    ...row.tags.map((value, n) => [tagColumns[n], value]),
    ...metrics.map((name, n) => [name, row.metrics[n] ?? null]),
  ]) as Row;
}

export function presentAnalyticsMeta(): AnalyticsMetaBody {
  return {
    data: {
      metrics: METRIC_NAMES.map((name) => ({
        name,
        display_label: METRICS[name].label,
        display_format: METRICS[name].format,
        is_rate: METRICS[name].isRate,
      })),
      dimensions: DIMENSION_NAMES.map((name) => ({ name, display_label: DIMENSIONS[name].label })),
      granularities: GRANULARITIES.map((name) => ({
        name,
        display_label: name.charAt(0).toUpperCase() + name.slice(1),
      })),
      operators: OPERATOR_NAMES.map((name) => ({ name, value_type: OPERATORS[name] })),
    },
  };
}
