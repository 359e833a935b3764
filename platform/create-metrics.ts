import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { meterEventLoop } from './event-loop-metrics.ts';
import { type Metrics, NO_METRICS, type ProcessMetrics } from './metrics.ts';

/** Creates the metrics of this process. Without a port for scrapes it keeps nothing. */
export function createMetrics(port: number | undefined): ProcessMetrics {
  if (port === undefined) return NO_METRICS;
  const registry = new Registry();
  const metrics = registerWith(registry);
  collectDefaultMetrics({ register: registry });
  // The default aggregation omits the start time. Its maximum shows processes that keep restarting.
  Object.assign(registry.getSingleMetric('process_start_time_seconds')!, { aggregator: 'max' });
  meterEventLoop(metrics);
  return {
    ...metrics,
    text: () => registry.metrics(),
    snapshot: () => registry.getMetricsAsJSON(),
  };
}

function registerWith(registry: Registry): Metrics {
  const registers = [registry];
  return {
    counter({ name, help, labels = [] }) {
      const counter = new Counter({ name, help, labelNames: labels, registers });
      return (values) => counter.labels(values).inc;
    },
    histogram({ name, help, labels = [], buckets }) {
      const histogram = new Histogram({ name, help, labelNames: labels, buckets, registers });
      return (values) => histogram.labels(values).observe;
    },
    gauge({ name, help, labels = [], aggregation, read }) {
      const collect = async function (this: Gauge): Promise<void> {
        const readings = await read();
        this.reset();
        // Without labels, a reset would leave a zero that looks like a value.
        if (labels.length === 0) this.remove();
        for (const reading of readings) this.set(reading.labels, reading.value);
      };
      new Gauge({ name, help, labelNames: labels, aggregator: aggregation, registers, collect });
    },
  };
}
