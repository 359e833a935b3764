/**
 * The histograms of the rollups: counts that can be added up over hours, keys and processes, from which any
 * percentile is read. Bounds are five to a decade, so a value is known within 26 % before interpolation.
 *
 * Bucket 0 holds what is below the first bound, bucket n what is at least bound n - 1 and below bound n, the last
 * what is at least the last bound: one more bucket than bounds. They are the columns `latency_0`, `latency_1`, …
 * and `throughput_0`, … of `hourly_usage` and `daily_usage`. Changing a bound changes what the counts of the past
 * mean: add buckets in a migration instead.
 */

/** Milliseconds to the first token or the whole answer, from 10 ms to almost seven minutes. */
export const LATENCY_BOUNDS_MS = [
  10, 16, 25, 40, 63, 100, 160, 250, 400, 630, 1_000, 1_600, 2_500, 4_000, 6_300, 10_000, 16_000, 25_000,
  40_000, 63_000, 100_000, 160_000, 250_000, 400_000,
] as const;

/** Completion tokens per second of the generation, whole ones. */
export const THROUGHPUT_BOUNDS = [
  1, 2, 3, 4, 6, 10, 16, 25, 40, 63, 100, 160, 250, 400, 630, 1_000, 1_600, 2_500,
] as const;
