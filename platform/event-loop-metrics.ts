/** Exports a metric of how late the event loop of this process is. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Metrics } from './metrics.ts';

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
