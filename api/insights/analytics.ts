/** Answers analytics queries, and describes what they can ask. */
import type { AnalyticsQueryBody } from '../../contract/insights/analytics-query.ts';
import type {
  AnalyticsAnswerBody,
  AnalyticsMetaBody,
  analyticsOperations,
} from '../../contract/insights/analytics.ts';
import { toMoment } from '../../contract/moment.ts';
import { DIMENSION_NAMES, DIMENSIONS } from '../../domain/insights/analytics-dimensions.ts';
import { METRIC_NAMES, METRICS } from '../../domain/insights/analytics-metrics.ts';
import {
  type AnalyticsQuery,
  GRANULARITIES,
  OPERATOR_NAMES,
  OPERATORS,
  tagColumnNames,
} from '../../domain/insights/analytics-query.ts';
import type {
  AnalyticsAnswer,
  AnalyticsService,
  LabelledRow,
} from '../../services/insights/analytics/analytics-service.ts';
import type { RoutesOf } from '../http/route.ts';

export const analyticsRoutes: RoutesOf<typeof analyticsOperations, { analytics: AnalyticsService }> = {
  /** Handles `POST /analytics/query`: computes the requested metrics over the generations of the organization. */
  queryAnalytics: async ({ principal, body, gone }, { services }) => {
    const query = toAnalyticsQuery(body);
    const answer = await services.analytics.query(principal.organizationId, query, gone());
    return { status: 200, body: presentAnalytics(query, answer) };
  },

  /** Handles `GET /analytics/meta`: lists the metrics, dimensions and operators that an analytics query may name. */
  getAnalyticsMeta: async () => ({
    status: 200,
    body: presentAnalyticsMeta(),
  }),
};

/** Converts the body to a query. Repeated names become one column. */
function toAnalyticsQuery(body: AnalyticsQueryBody): AnalyticsQuery {
  const { time_range: range, order_by: sort } = body;
  return {
    metrics: [...new Set(body.metrics)],
    dimensions: [...new Set(body.dimensions ?? [])],
    filters: (body.filters ?? []).map(({ field, operator, value, include_unset: includeUnset = false }) => ({
      field,
      operator,
      value,
      includeUnset,
    })),
    granularity: body.granularity,
    limit: body.limit,
    groupLimit: body.group_limit,
    range: range && { start: toMoment(range.start), end: toMoment(range.end) },
    orderBy: sort,
    classifier: toClassifier(body),
  };
}

function toClassifier({
  classifier_dimensions: groups,
  classifier_filters: filters,
}: AnalyticsQueryBody): AnalyticsQuery['classifier'] {
  const id = (groups ?? filters)?.classifier_id;
  if (id === undefined) return undefined;
  const groupBy = groups && {
    names: groups.dimension_names ?? [],
    includeNulls: groups.include_nulls ?? false,
  };
  return {
    id,
    groupBy,
    filters: (filters?.filters ?? []).map(({ field, operator, value }) => ({
      field,
      operator,
      values: [value].flat().map(String),
    })),
  };
}

type Row = AnalyticsAnswerBody['data']['data'][number];

function presentAnalytics(query: AnalyticsQuery, answer: AnalyticsAnswer): AnalyticsAnswerBody {
  return {
    data: {
      cachedAt: answer.summedTo.getTime(),
      data: answer.rows.map((row) => presentRow(query, row)),
      metadata: {
        query_time_ms: answer.queryTimeMs,
        row_count: answer.rows.length,
        truncated: answer.isTruncated,
      },
      warnings: answer.warnings.length === 0 ? undefined : answer.warnings,
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

function presentAnalyticsMeta(): AnalyticsMetaBody {
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
