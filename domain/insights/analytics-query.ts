/** Defines analytics queries: metrics, filters, granularity, order and limits. */
import type { Dimension } from './analytics-dimensions.ts';
import type { Metric } from './analytics-metrics.ts';

/** The lengths of time buckets. Weeks are ISO weeks; all buckets begin in UTC. */
export const GRANULARITIES = ['minute', 'hour', 'day', 'week', 'month'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** The operators of filters, each with its type of value: one, or a list. */
export const OPERATORS = {
  eq: 'scalar',
  neq: 'scalar',
  in: 'array',
  not_in: 'array',
  gt: 'scalar',
  gte: 'scalar',
  lt: 'scalar',
  lte: 'scalar',
} as const satisfies Record<string, 'scalar' | 'array'>;
export type Operator = keyof typeof OPERATORS;
export const OPERATOR_NAMES = Object.keys(OPERATORS) as [Operator, ...Operator[]];

/** The operators for tags, which have no order. */
export const TAG_OPERATORS = ['eq', 'neq', 'in', 'not_in'] as const;
export type TagOperator = (typeof TAG_OPERATORS)[number];

export const MAX_ROWS = 10_000;
export const DEFAULT_ROWS = 1_000;
export const DEFAULT_RANGE_MS = 30 * 86_400_000;

export type Scalar = string | number;

export interface AnalyticsFilter {
  field: Dimension;
  operator: Operator;
  value: Scalar | Scalar[];
  /** True: generations without a value match too. Used with `in` and `not_in` only. */
  includeUnset: boolean;
}

export interface TagFilter {
  /** A dimension of the classifier. */
  field: string;
  operator: TagOperator;
  values: string[];
}

/** A range in whole milliseconds from `start` to before `end`. The two may be equal. */
export interface TimeRange {
  start: Date;
  end: Date;
}

/** Returns the names of the columns for which a query is grouped by these dimensions of a classifier. */
export function tagColumnNames(dimensionNames: readonly string[]): readonly string[] {
  return dimensionNames.length === 0 ? ['clf_dimension_name', 'clf_dimension_value'] : dimensionNames;
}

export interface SortOrder {
  /**
   * A metric, a dimension, a column of the classifier, `request_count`, or `date`. Without a granularity `date` has no
   * effect.
   */
  field: string;
  direction: 'asc' | 'desc';
}

/** A query after validation. */
export interface AnalyticsQuery {
  /** One metric or more, without duplicates. Dimensions have no duplicates either. */
  metrics: Metric[];
  dimensions: Dimension[];
  filters: AnalyticsFilter[];
  granularity?: Granularity | undefined;
  range?: TimeRange | undefined;
  limit?: number | undefined;
  groupLimit?: number | undefined;
  orderBy?: SortOrder | undefined;
  /** The classifier by whose tags the query groups and filters. */
  classifier?: ClassifierUse | undefined;
}

interface ClassifierUse {
  id: string;
  /** Empty names: every pair of dimension and value is a group. */
  groupBy?: { names: string[]; includeNulls: boolean } | undefined;
  filters: TagFilter[];
}
