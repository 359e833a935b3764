import { AggregatorRegistry, type PrometheusContentType, type Registry } from 'prom-client';

/** All series of a process at one moment, as JSON. */
export type Snapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The series of several processes, added up. */
export interface Sum {
  series: Snapshot;
  /** Resolves with them in the text format of Prometheus. */
  text(): Promise<string>;
}

/** Adds up counters and histograms by their sum, and each gauge as it says itself. */
export function addUp(snapshots: readonly Snapshot[]): Sum {
  const sum = AggregatorRegistry.aggregate<PrometheusContentType>([...snapshots]);
  return { series: sum.getMetricsAsArray() as Snapshot, text: () => sum.metrics() };
}
