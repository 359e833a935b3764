/** Translates the metrics of analytics to SQL over the sums in the rollups. */
import type { Metric } from '../../domain/insights/analytics-metrics.ts';
import { LATENCY_BOUNDS_MS } from '../../domain/ledger/histogram.ts';
import { type Sql, trustedText } from '../postgres/sql-text.ts';

const LATENCY_BUCKETS = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, (_, n) => `latency_${n}`);

interface Formula {
  /** The columns of the rollups that are added up. */
  of: readonly string[];
  /** The SQL that computes the metric from the sums. */
  expression: string;
}

const sum = (column: string): Formula => ({ of: [column], expression: column });
const quotient = (over: string, under: string, factor = ''): Formula => ({
  of: [over, under],
  expression: `${over}::float8${factor} / nullif(${under}, 0)::float8`,
});

/**
 * Returns the SQL of a percentile, from the counts of the histogram's buckets (domain/ledger/histogram.ts). Values are
 * assumed to be evenly spread within a bucket. Values in the last bucket, which has no upper bound, count as its lower
 * bound. The SQL has a branch for each bucket: a function in Postgres takes five times as long.
 */
function latencyPercentile(share: number): Formula {
  const rank = `${share} * latency_count`;
  const cases = LATENCY_BUCKETS.map((bucket, n) => {
    const upTo = LATENCY_BUCKETS.slice(0, n + 1).join(' + ');
    const lower = LATENCY_BOUNDS_MS[n - 1] ?? 0;
    const width = (LATENCY_BOUNDS_MS[n] ?? lower) - lower;
    return `when ${bucket} > 0 and ${upTo} >= ${rank} then ${lower} + ${width} * (${rank} - (${upTo}) + ${bucket}) / ${bucket}`;
  });
  return { of: ['latency_count', ...LATENCY_BUCKETS], expression: `case ${cases.join(' ')} end` };
}

/** The formula of each metric. Money is in nanodollars; a rate without data is null. */
const FORMULAS: Record<Metric, Formula> = {
  request_count: sum('request_count'),
  total_usage: sum('usage_nanos'),
  byok_usage: sum('byok_usage_nanos'),
  tokens_total: {
    of: ['tokens_prompt', 'tokens_completion'],
    expression: 'tokens_prompt + tokens_completion',
  },
  tokens_prompt: sum('tokens_prompt'),
  tokens_completion: sum('tokens_completion'),
  reasoning_tokens: sum('tokens_reasoning'),
  cached_tokens: sum('tokens_cache_read'),
  cache_hit_rate: quotient('tokens_cache_read', 'tokens_prompt'),
  error_count: sum('error_count'),
  error_rate: quotient('error_count', 'request_count'),
  latency_avg: quotient('latency_ms', 'latency_count'),
  latency_p50: latencyPercentile(0.5),
  latency_p95: latencyPercentile(0.95),
  throughput_avg: quotient('throughput_tokens', 'throughput_ms', ' * 1000'),
  media_count: sum('media_completion'),
};

export function formulaOf(metric: Metric): Sql {
  return trustedText(FORMULAS[metric].expression);
}

/**
 * Returns the SQL of a measure's sum, which can be added up again. Histogram counts are floats: exact up to 9e15, and
 * faster than `numeric`.
 */
export function sumOf(measure: string): Sql {
  const isHistogram = measure.startsWith('latency_') && measure !== 'latency_ms';
  return trustedText(`coalesce(sum(${measure}), 0)${isHistogram ? '::float8' : ''} ${measure}`);
}

/** Returns the columns of the rollups for the metrics, without duplicates; `request_count` is always included. */
export function measuresOf(metrics: readonly Metric[]): string[] {
  return [...new Set(['request_count', ...metrics.flatMap((metric) => FORMULAS[metric].of)])];
}
