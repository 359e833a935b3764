/** Adds up the metrics of several processes. */
import { AggregatorRegistry, type PrometheusContentType, type Registry } from 'prom-client';

/** All metrics of a process at one moment, as JSON. */
export type Snapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The sum of the metrics of several processes. */
export interface Sum {
  series: Snapshot;
  /** Resolves with the metrics in the text format of Prometheus. */
  text(): Promise<string>;
}

/** Adds up the metrics of processes. Each gauge names its own aggregation. */
export function addUp(snapshots: readonly Snapshot[]): Sum {
  const sum = AggregatorRegistry.aggregate<PrometheusContentType>([...snapshots]);
  return { series: sum.getMetricsAsArray() as Snapshot, text: () => sum.metrics() };
}
