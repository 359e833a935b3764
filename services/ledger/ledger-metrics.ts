/** Measures the batches of the ledger and the use of its spool, for operators. */
import type { Metrics } from '../../platform/metrics.ts';
import type { Spool } from './spool/spool.ts';

/** Buckets of rows, up to the most that one batch holds. */
const ROWS = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Creates metrics of how many rows are written together, how long answers wait for them, and how old the sums are. */
export function createLedgerMetrics(metrics: Metrics) {
  const observeRows = metrics.histogram({
    name: 'sluice_ledger_batch_rows',
    help: 'Rows that were written together, to Postgres or to the spool.',
    buckets: ROWS,
  })({});
  const observeWait = metrics.histogram({
    name: 'sluice_ledger_wait_seconds',
    help: 'How long a row waited until it was safe, in Postgres or in the spool.',
    buckets: SECONDS,
  })({});
  let ageOfSums = (): number => 0;
  metrics.gauge({
    name: 'sluice_ledger_sums_age_seconds',
    help: 'Seconds since counters and rollups last got all generations.',
    aggregation: 'max',
    read: () => [{ labels: {}, value: ageOfSums() }],
  });
  return {
    /** Shows this age, in seconds. */
    showAgeOfSums(read: () => number): void {
      ageOfSums = read;
    },
    /**
     * Records that a batch was stored. `recordedAtMs` are the times at which its rows arrived, by `performance.now()`.
     */
    kept(recordedAtMs: readonly number[]): void {
      const nowMs = performance.now();
      observeRows(recordedAtMs.length);
      for (const atMs of recordedAtMs) observeWait((nowMs - atMs) / 1_000);
    },
  };
}

export type LedgerMetrics = ReturnType<typeof createLedgerMetrics>;

/** Shows how much of the spool's maximum size this process has used. */
export function meterSpool(metrics: Metrics, spool: Pick<Spool, 'bytes'>, maxBytes: number): void {
  metrics.gauge({
    name: 'sluice_spool_bytes',
    help: 'Bytes of spool files that this process wrote or took over and that are not replayed yet.',
    aggregation: 'sum',
    read: () => [{ labels: {}, value: spool.bytes() }],
  });
  metrics.gauge({
    name: 'sluice_spool_limit_bytes',
    help: 'How much this process may add to the spool before it refuses new generations.',
    aggregation: 'sum',
    read: () => [{ labels: {}, value: maxBytes }],
  });
}
