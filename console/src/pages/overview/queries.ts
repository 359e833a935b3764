/** Makes the queries of the overview. All of them read rollups, except those by user and app. */
import { callTo, useCall, type Schema } from '../../api/call.ts';
import { METRIC_NAMES, type Grouping, type Metric } from './view.ts';
import type { Span } from './range.ts';

type Query = Schema<'AnalyticsQuery'>;
export type Row = Schema<'AnalyticsRow'>;

/** New requests show within this time, while somebody looks. */
const REFRESH_MS = 15_000;

/** The groups that have a line of their own in the chart. */
export const CHARTED_GROUPS = 6;
const LISTED_GROUPS = 50;

const rangeOf = ({ start, end }: Span) => ({
  start: new Date(start).toISOString(),
  end: new Date(end).toISOString(),
});

export const totalsQuery = (span: Span): Query => ({ metrics: METRIC_NAMES, time_range: rangeOf(span) });

export const seriesQuery = (span: Span): Query => ({
  ...totalsQuery(span),
  granularity: span.granularity,
  order_by: { field: 'date', direction: 'asc' },
});

export const groupsQuery = (span: Span, by: Grouping, metric: Metric): Query => ({
  ...totalsQuery(span),
  dimensions: [by],
  order_by: { field: metric, direction: 'desc' },
  limit: LISTED_GROUPS,
});

export const groupSeriesQuery = (
  span: Span,
  by: Grouping,
  metric: Metric,
  values: (string | number)[],
): Query => ({
  metrics: [metric],
  dimensions: [by],
  filters: [{ field: by, operator: 'in', value: values }],
  granularity: span.granularity,
  time_range: rangeOf(span),
  order_by: { field: 'date', direction: 'asc' },
});

/** Runs a query of analytics, and repeats it while the page is visible. */
export function useAnalytics(body: Query, enabled = true) {
  return useCall(callOf(body), { enabled, isLive: true, everyMs: REFRESH_MS, keepsLast: true });
}

export const callOf = (body: Query) => callTo('POST', '/analytics/query', { body });

/** Returns a number of a row; null where there is none. */
export function numberOf(row: Row | undefined, metric: Metric): number | null {
  const value = row?.[metric];
  return typeof value === 'number' ? value : null;
}

/** Returns the start of a row's period, in milliseconds. */
export function periodOf(row: Row, span: Span): number {
  return Date.parse(String(row[`date__${span.granularity}`]));
}

/** Returns the name of a row's group. */
export function labelOf(row: Row, by: Grouping): string {
  const label = row[`${by}_label`] ?? row[by];
  return label === null || label === undefined ? '(none)' : String(label);
}
