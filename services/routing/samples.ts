import type { Percentiles } from '../../domain/catalog/endpoint-performance.ts';

const KEPT = 200;
const FEW = 5;
/** Sorting two hundred numbers for every request would show in a profile. */
const TOLD_EVERY = 20;
const TOLD_FOR_MS = 10_000;

/** The last measurements, none older than `forgetAfterMs`. Too few say nothing. */
export class Samples {
  readonly #forgetAfterMs: number;
  readonly #values: number[] = [];
  readonly #takenAtMs: number[] = [];
  #next = 0;
  #untold = 0;
  #told: Percentiles | null = null;
  #toldAtMs = -Infinity;

  constructor(forgetAfterMs: number) {
    this.#forgetAfterMs = forgetAfterMs;
  }

  add(value: number, nowMs: number): void {
    this.#values[this.#next] = value;
    this.#takenAtMs[this.#next] = nowMs;
    this.#next = (this.#next + 1) % KEPT;
    this.#untold += 1;
  }

  percentiles(nowMs: number): Percentiles | null {
    if (this.#values.length < FEW) return null;
    const enough = this.#told === null ? FEW : TOLD_EVERY;
    const isFresh = this.#untold < enough && nowMs - this.#toldAtMs < TOLD_FOR_MS;
    if (isFresh) return this.#told;
    this.#untold = 0;
    this.#toldAtMs = nowMs;
    this.#told = this.#measure(nowMs);
    return this.#told;
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
