/** Computes percentiles of an endpoint's recent latency and throughput. */
import type { Percentiles } from '../../domain/catalog/endpoint-performance.ts';

const KEPT = 200;
const FEW = 5;
/**
 * The number of new measurements after which percentiles are computed again. Sorting two hundred numbers for every
 * request would cost too much.
 */
const MEASURED_EVERY = 20;
const MEASURED_FOR_MS = 10_000;

/** Keeps the last measurements, none older than `forgetAfterMs`. Fewer than five give no percentiles. */
export class Samples {
  readonly #forgetAfterMs: number;
  readonly #values: number[] = [];
  readonly #takenAtMs: number[] = [];
  #next = 0;
  #unmeasured = 0;
  #percentiles: Percentiles | null = null;
  #measuredAtMs = -Infinity;

  constructor(forgetAfterMs: number) {
    this.#forgetAfterMs = forgetAfterMs;
  }

  add(value: number, nowMs: number): void {
    this.#values[this.#next] = value;
    this.#takenAtMs[this.#next] = nowMs;
    this.#next = (this.#next + 1) % KEPT;
    this.#unmeasured += 1;
  }

  percentiles(nowMs: number): Percentiles | null {
    if (this.#values.length < FEW) return null;
    const enough = this.#percentiles === null ? FEW : MEASURED_EVERY;
    const isFresh = this.#unmeasured < enough && nowMs - this.#measuredAtMs < MEASURED_FOR_MS;
    if (isFresh) return this.#percentiles;
    this.#unmeasured = 0;
    this.#measuredAtMs = nowMs;
    this.#percentiles = this.#measure(nowMs);
    return this.#percentiles;
  }

  #measure(nowMs: number): Percentiles | null {
    const sorted = this.#values
      .filter((_, at) => nowMs - this.#takenAtMs[at]! < this.#forgetAfterMs)
      .toSorted((a, b) => a - b);
    if (sorted.length < FEW) return null;
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
    return { p50: at(0.5), p75: at(0.75), p90: at(0.9), p99: at(0.99) };
  }
}
