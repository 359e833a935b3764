/** Maps percentiles to a measured value; those that nobody asked for are absent. */
export interface Percentiles {
  p50?: number;
  p75?: number;
  p90?: number;
  p99?: number;
}

/** How an endpoint has been doing of late; null where nothing was measured. */
export interface EndpointPerformance {
  /** Milliseconds to the first token or the whole answer, over the last 30 minutes. */
  latencyMs: Required<Percentiles> | null;
  /** Completion tokens a second, over the last 30 minutes. */
  throughput: Required<Percentiles> | null;
  /** Percent of the calls that it answered, of those it answered or failed at. */
  uptime5m: number | null;
  uptime30m: number | null;
  uptime1d: number | null;
}

/** Over all organizations. */
export interface ModelPopularity {
  /** Of the last 30 days. */
  requests: number;
  /** In and out, of the last 7 days. */
  weeklyTokens: number;
}
