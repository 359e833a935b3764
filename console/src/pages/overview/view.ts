/** Reads from the URL what the overview shows: a range, a metric, a grouping, and whether to compare. */
import { oneOf, textOf } from '../../search.ts';

/** The ranges, with the words for them. */
export const RANGES = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  custom: 'Custom',
} as const;
type Range = keyof typeof RANGES;
const RANGE_NAMES = Object.keys(RANGES) as Range[];

export const METRICS = {
  total_usage: { name: 'Spend', format: 'usd', isRate: false },
  request_count: { name: 'Requests', format: 'count', isRate: false },
  tokens_total: { name: 'Tokens', format: 'count', isRate: false },
  error_rate: { name: 'Errors', format: 'share', isRate: true },
  cache_hit_rate: { name: 'Cache share', format: 'share', isRate: true },
  latency_p50: { name: 'p50 latency', format: 'ms', isRate: true },
  latency_p95: { name: 'p95 latency', format: 'ms', isRate: true },
} as const satisfies Record<string, MetricFacts>;

interface MetricFacts {
  name: string;
  format: 'usd' | 'count' | 'share' | 'ms';
  /** True: values of groups cannot be added up. */
  isRate: boolean;
}

export type Metric = keyof typeof METRICS;
export const METRIC_NAMES = Object.keys(METRICS) as Metric[];

/** The groupings, with the words for them. Users and apps are read from rows, which takes longer. */
export const GROUPINGS = {
  model: 'Model',
  provider: 'Provider',
  api_key_id: 'Key',
  workspace: 'Workspace',
  user: 'User',
  app: 'App',
} as const;

export type Grouping = keyof typeof GROUPINGS;
const GROUPING_NAMES = Object.keys(GROUPINGS) as Grouping[];

export interface OverviewSearch {
  range?: Range;
  from?: string;
  to?: string;
  metric?: Metric;
  by?: Grouping;
  compare?: Comparison;
  /** The days of the other range, for `custom`. */
  compare_from?: string;
  compare_to?: string;
}

export const COMPARISONS = ['previous', 'custom'] as const;
export type Comparison = (typeof COMPARISONS)[number];

const DAY = /^\d{4}-\d{2}-\d{2}$/;

export function overviewSearch(search: Record<string, unknown>): OverviewSearch {
  const day = (name: string) => {
    const text = textOf(search, name);
    return text !== undefined && DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
  };
  return {
    range: oneOf(search['range'], RANGE_NAMES),
    from: day('from'),
    to: day('to'),
    metric: oneOf(search['metric'], METRIC_NAMES),
    by: oneOf(search['by'], GROUPING_NAMES),
    compare: oneOf(search['compare'], COMPARISONS),
    compare_from: day('compare_from'),
    compare_to: day('compare_to'),
  };
}
