/** Maps percentiles to a measured value. Percentiles that were not requested are absent. */
export interface Percentiles {
  p50?: number;
  p75?: number;
  p90?: number;
  p99?: number;
}

/** The recent performance of an endpoint; null where no call was measured. */
export interface EndpointPerformance {
  /** Milliseconds to the first token or the whole answer, over the last 30 minutes. */
  latencyMs: Required<Percentiles> | null;
  /** Completion tokens a second, over the last 30 minutes. */
  throughput: Required<Percentiles> | null;
  /** Percent of calls that the endpoint answered, among those it answered or failed. */
  uptime5m: number | null;
  uptime30m: number | null;
  uptime1d: number | null;
}

/** The usage of a model by all organizations. */
export interface ModelPopularity {
  /** Over the last 30 days. */
  requests: number;
  /** Tokens in and out over the last 7 days. */
  weeklyTokens: number;
}
