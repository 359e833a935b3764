/** Counts the requests that wait near a spending limit, for operators. */
import type { Metrics } from '../../../platform/metrics.ts';

/** The end of a wait: the request's turn came, the longest wait was over, or the caller disconnected. */
export type WaitEnd = 'judged' | 'timed_out' | 'gone';

/** Counts waits when they end. */
export type WaitMetrics = (end: WaitEnd) => void;

export function createWaitMetrics(metrics: Metrics): WaitMetrics {
  const counter = metrics.counter({
    name: 'sluice_limit_waits_total',
    help: 'Requests that waited because others in flight may use up the rest of a spending limit, by how the wait ended.',
    labels: ['end'],
  });
  const increments: Record<WaitEnd, () => void> = {
    judged: counter({ end: 'judged' }),
    timed_out: counter({ end: 'timed_out' }),
    gone: counter({ end: 'gone' }),
  };
  return (end) => increments[end]();
}
