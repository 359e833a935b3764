/** Exports metrics of the API's requests: counts, durations, overhead and requests in flight. */
import { operations } from '../../contract/operations.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { ApiState } from './context.ts';

/** Counts requests by operation. */
export interface RequestMetrics {
  /** Records that a request was matched to the operation. */
  started(operation: string): void;
  /** Records the end of an answer, or the disconnect of its caller. Both times are from `performance.now()`. */
  ended(state: ApiState, status: number, startedAtMs: number, endedAtMs: number): void;
}

/** The recorded status of a request whose caller disconnected before the end of the answer. */
export const CALLER_LEFT = 499;

/** The operation in metrics of requests that match none, including the pages of the documentation. */
const UNMATCHED = 'unmatched';

const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const OVERHEADS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];

export function createRequestMetrics(metrics: Metrics): RequestMetrics {
  const meterOf = createMeters(metrics);
  const unmatched = meterOf(UNMATCHED);
  const meters = new Map<string, Meter>(Object.values(operations).map(({ id }) => [id, meterOf(id)]));
  const meterFor = (operation = UNMATCHED): Meter => meters.get(operation) ?? unmatched;
  const errors = metrics.counter({
    name: 'sluice_errors_total',
    help: 'Answered errors, by the reason in their metadata.',
    labels: ['reason'],
  });
  metrics.gauge({
    name: 'sluice_requests_in_flight',
    help: 'Requests whose answer has not ended.',
    labels: ['operation'],
    aggregation: 'sum',
    read: () => [...meters].map(([operation, { inFlight }]) => ({ labels: { operation }, value: inFlight })),
  });
  return {
    started(operation) {
      meterFor(operation).inFlight += 1;
    },
    ended(state, status, startedAtMs, endedAtMs) {
      const { operationId, callerMs, upstreamMs, handedOverAtMs = endedAtMs, reason } = state;
      if (reason !== undefined) errors({ reason })();
      const meter = meterFor(operationId);
      if (operationId !== undefined) meter.inFlight -= 1;
      const tookMs = endedAtMs - startedAtMs;
      meter.answered(status, tookMs / 1_000);
      // After a disconnect it is unknown whether the upstream or the gateway was working.
      if (upstreamMs === 0 || status === CALLER_LEFT) return;
      const ownMs = handedOverAtMs - startedAtMs - callerMs - upstreamMs;
      meter.observeOverhead(Math.max(0, ownMs) / 1_000);
    },
  };
}

interface Meter {
  inFlight: number;
  answered(status: number, seconds: number): void;
  observeOverhead(seconds: number): void;
}

function createMeters(metrics: Metrics): (operation: string) => Meter {
  const requests = metrics.counter({
    name: 'sluice_requests_total',
    help: 'Answered requests; the status is 499 if the caller disconnected.',
    labels: ['operation', 'status'],
  });
  const durations = metrics.histogram({
    name: 'sluice_request_duration_seconds',
    help: 'From the head of the request to the end of the answer.',
    labels: ['operation', 'status_class'],
    buckets: DURATIONS,
  });
  const overheads = metrics.histogram({
    name: 'sluice_overhead_seconds',
    help: 'The part of the duration of a request in which it waited neither for an upstream nor for its caller.',
    labels: ['operation'],
    buckets: OVERHEADS,
  });
  return (operation) => {
    /** The meters by status; an operation has only a few. */
    const byStatus = new Map<number, (seconds: number) => void>();
    const meterOf = (status: number): ((seconds: number) => void) => {
      const count = requests({ operation, status: String(status) });
      const observe = durations({ operation, status_class: `${Math.floor(status / 100)}xx` });
      return (seconds) => {
        count();
        observe(seconds);
      };
    };
    return {
      inFlight: 0,
      answered(status, seconds) {
        let meter = byStatus.get(status);
        if (meter === undefined) byStatus.set(status, (meter = meterOf(status)));
        meter(seconds);
      },
      observeOverhead: overheads({ operation }),
    };
  };
}
