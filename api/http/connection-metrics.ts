/** Exports metrics of the API's connections: how many are open, refused, and closed for others. */
import type { Metrics } from '../../platform/metrics.ts';
import type { ConnectionBounds } from './connection-bounds.ts';
import type { Wait } from './connections-by-address.ts';

export interface ConnectionMeters {
  /** Counts a connection that exceeds a bound. */
  refused: Record<keyof ConnectionBounds, () => void>;
  /** Counts a connection that is closed in favour of a new one. */
  closed: Record<Wait, () => void>;
}

export interface ConnectionCounts {
  limit: number;
  open(): number;
  waiting(how: Wait): number;
}

export function createConnectionMeters(
  metrics: Metrics,
  { limit, open, waiting }: ConnectionCounts,
): ConnectionMeters {
  metrics.gauge({
    name: 'sluice_connections',
    help: 'Open connections of callers.',
    labels: ['state'],
    aggregation: 'sum',
    read: () => {
      const [halfOpen, idle] = [waiting('half_open'), waiting('idle')];
      return [
        { labels: { state: 'half_open' }, value: halfOpen },
        { labels: { state: 'idle' }, value: idle },
        { labels: { state: 'busy' }, value: open() - halfOpen - idle },
      ];
    },
  });
  metrics.gauge({
    name: 'sluice_connections_limit',
    help: 'The most connections of callers that the process accepts.',
    aggregation: 'sum',
    read: () => [{ labels: {}, value: limit }],
  });
  const refused = metrics.counter({
    name: 'sluice_connection_refused_total',
    help: 'Connections that were refused because of a bound.',
    labels: ['bound'],
  });
  const closed = metrics.counter({
    name: 'sluice_connection_closed_total',
    help: 'Waiting connections that were closed in favour of new ones.',
    labels: ['state'],
  });
  return {
    refused: { all: refused({ bound: 'all' }), ofAddress: refused({ bound: 'address' }) },
    closed: { half_open: closed({ state: 'half_open' }), idle: closed({ state: 'idle' }) },
  };
}
