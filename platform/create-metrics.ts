import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type Metrics, NO_METRICS, type ProcessMetrics } from './metrics.ts';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

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

/** The interval of the timer that measures the delay. */
const RESOLUTION_MS = 10;
const QUANTILES = { '0.5': 50, '0.99': 99, '1': 100 };

/** Measures the delay of timers in this process since the last scrape. */
export function meterEventLoop(metrics: Metrics): void {
  const intervals = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  intervals.enable();
  metrics.gauge({
    name: 'sluice_event_loop_delay_seconds',
    help: 'The delay of the event loop since the values were last read.',
    labels: ['quantile'],
    aggregation: 'max',
    async read() {
      // A delay in progress is recorded only when its timer fires, so the reset must wait for that.
      await delay(1);
      const readings = Object.entries(QUANTILES).map(([quantile, percentile]) => ({
        labels: { quantile },
        value: secondsLate(intervals.percentile(percentile)),
      }));
      intervals.reset();
      return readings;
    },
  });
}

/** Converts a measured interval, which includes the timer's own interval, to the delay. */
function secondsLate(intervalNanos: number): number {
  return Math.max(0, intervalNanos / 1e6 - RESOLUTION_MS) / 1_000;
}
