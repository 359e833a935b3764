/** Converts the body of an analytics request to a query. */
import type { AnalyticsQueryBody } from '../../../contract/insights/analytics-query.ts';
import { toMoment } from '../../../contract/moment.ts';
import type { AnalyticsQuery } from '../../../domain/insights/analytics-query.ts';
import { withoutUndefined } from '../../http/request/without-undefined.ts';

/** Converts the body to a query. Repeated names become one column. */
export function toAnalyticsQuery(body: AnalyticsQueryBody): AnalyticsQuery {
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
    ...withoutUndefined({
      granularity: body.granularity,
      limit: body.limit,
      groupLimit: body.group_limit,
      range: range && { start: toMoment(range.start), end: toMoment(range.end) },
      orderBy: sort,
      classifier: toClassifier(body),
    }),
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
    ...(groupBy === undefined ? {} : { groupBy }),
    filters: (filters?.filters ?? []).map(({ field, operator, value }) => ({
      field,
      operator,
      values: [value].flat().map(String),
    })),
  };
}
