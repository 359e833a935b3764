/**
 * The histograms of the rollups. Their counts can be added up over hours, keys and processes, and give every
 * percentile. Bounds are five to a decade, so a value is known within 26 % before interpolation.
 *
 * Bucket 0 holds values below the first bound. Bucket n holds values from bound n - 1 to below bound n; the last bucket
 * has no upper bound.
 *
 * The buckets are the columns `latency_0`, `latency_1`, … and `throughput_0`, … of `hourly_usage` and `daily_usage`.
 * Changing a bound changes the meaning of past counts: add buckets in a migration instead.
 */

/** Milliseconds to the first token or the whole answer, from 10 ms to almost seven minutes. */
export const LATENCY_BOUNDS_MS = [
  10, 16, 25, 40, 63, 100, 160, 250, 400, 630, 1_000, 1_600, 2_500, 4_000, 6_300, 10_000, 16_000, 25_000,
  40_000, 63_000, 100_000, 160_000, 250_000, 400_000,
] as const;

/** Completion tokens per second of the generation. */
export const THROUGHPUT_BOUNDS = [
  1, 2, 3, 4, 6, 10, 16, 25, 40, 63, 100, 160, 250, 400, 630, 1_000, 1_600, 2_500,
] as const;
