import type { Dimension } from './analytics-dimensions.ts';
import type { Metric } from './analytics-metrics.ts';

/** Weeks are ISO weeks; all buckets begin in UTC. */
export const GRANULARITIES = ['minute', 'hour', 'day', 'week', 'month'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** What a value is to the operator: one, or a list of them. */
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

/** Those of tags, which have no order. */
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
  /** Generations without a value pass, too. Heeded with `in` and `not_in` only. */
  includeUnset: boolean;
}

export interface TagFilter {
  /** A dimension of the classifier. */
  field: string;
  operator: TagOperator;
  values: string[];
}

/** From `start`, before `end`, which may be the same. Whole milliseconds, as the ledger's times are. */
export interface TimeRange {
  start: Date;
  end: Date;
}

/** Returns the names of the columns for which a query is grouped by these dimensions of a classifier. */
export function tagColumnNames(dimensionNames: readonly string[]): readonly string[] {
  return dimensionNames.length === 0 ? ['clf_dimension_name', 'clf_dimension_value'] : dimensionNames;
}

export interface SortOrder {
  /** A metric, a dimension, a column of the classifier, `request_count` or `date`, which sorts nothing without periods. */
  field: string;
  direction: 'asc' | 'desc';
}

/** A query as it was asked, each rule of the contract kept. */
export interface AnalyticsQuery {
  /** At least one, none twice; so with the dimensions. */
  metrics: Metric[];
  dimensions: Dimension[];
  filters: AnalyticsFilter[];
  granularity?: Granularity;
  range?: TimeRange;
  limit?: number;
  groupLimit?: number;
  orderBy?: SortOrder;
  /** By id, what the tags of one classifier are used for. */
  classifier?: {
    id: string;
    /** No names: every pair of dimension and value is a group. */
    groupBy?: { names: string[]; includeNulls: boolean };
    filters: TagFilter[];
  };
}
