/** How a client shows a number: dollars, a share of 1, milliseconds, tokens a second, or just a number. */
export type MetricFormat = 'number' | 'currency' | 'percent' | 'latency' | 'throughput';

interface MetricFacts {
  label: string;
  format: MetricFormat;
  /** Rates, averages and percentiles cannot be added up; null where there is nothing to take them of. */
  isRate: boolean;
}

const count = (label: string): MetricFacts => ({ label, format: 'number', isRate: false });
const money = (label: string): MetricFacts => ({ label, format: 'currency', isRate: false });
const rate = (label: string, format: MetricFormat): MetricFacts => ({ label, format, isRate: true });

/** What analytics counts (design: §8), by its name on the wire. What each is made of: db/insights/analytics-measures.ts. */
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
