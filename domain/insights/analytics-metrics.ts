/** The unit in which a client shows a number: none, dollars, a share of 1, milliseconds, or tokens a second. */
export type MetricFormat = 'number' | 'currency' | 'percent' | 'latency' | 'throughput';

interface MetricFacts {
  label: string;
  format: MetricFormat;
  /** True for rates, averages and percentiles: they cannot be added up, and are null without data. */
  isRate: boolean;
}

const count = (label: string): MetricFacts => ({ label, format: 'number', isRate: false });
const money = (label: string): MetricFacts => ({ label, format: 'currency', isRate: false });
const rate = (label: string, format: MetricFormat): MetricFacts => ({ label, format, isRate: true });

/** The metrics of analytics, by their names on the wire. db/insights/analytics-measures.ts has their SQL. */
export const METRICS = {
  request_count: count('Requests'),
  total_usage: money('Usage'),
  byok_usage: money('BYOK usage'),
  tokens_total: count('Tokens'),
  tokens_prompt: count('Prompt tokens'),
  tokens_completion: count('Completion tokens'),
  reasoning_tokens: count('Reasoning tokens'),
  cached_tokens: count('Cached tokens'),
  cache_hit_rate: rate('Cache hit rate', 'percent'),
  error_count: count('Errors'),
  error_rate: rate('Error rate', 'percent'),
  latency_avg: rate('Average latency', 'latency'),
  latency_p50: rate('Median latency', 'latency'),
  latency_p95: rate('95th percentile of latency', 'latency'),
  throughput_avg: rate('Average throughput', 'throughput'),
  media_count: count('Media made'),
} as const satisfies Record<string, MetricFacts>;

export type Metric = keyof typeof METRICS;
export const METRIC_NAMES = Object.keys(METRICS) as [Metric, ...Metric[]];
