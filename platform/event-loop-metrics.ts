import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Metrics } from './metrics.ts';

/** A timer that should fire so often: what it is late by is the delay. */
const RESOLUTION_MS = 10;
const QUANTILES = { '0.5': 50, '0.99': 99, '1': 100 };

/** Shows by how much timers of this process were late since somebody last asked. */
export function meterEventLoop(metrics: Metrics): void {
  const intervals = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  intervals.enable();
  metrics.gauge({
    name: 'sluice_event_loop_delay_seconds',
    help: 'How late the event loop is, since the values were last read.',
    labels: ['quantile'],
    addsUp: 'max',
    async read() {
      // What is late at this moment is measured when its timer fires, and a reset would lose it.
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

/** Node measures the time between two timers, which includes the time that they were meant to be apart. */
function secondsLate(intervalNanos: number): number {
  return Math.max(0, intervalNanos / 1e6 - RESOLUTION_MS) / 1_000;
}
