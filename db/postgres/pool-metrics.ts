import type { Metrics, Reading } from '../../platform/metrics.ts';
import type { Database } from './connection.ts';

/** Shows how many connections of each pool are in use, and how many callers wait for one. */
export function meterPools(metrics: Metrics, pools: Record<string, Pick<Database, 'poolUse'>>): void {
  const all = Object.entries(pools);
  metrics.gauge({
    name: 'sluice_pool_connections',
    help: 'Open connections to Postgres.',
    labels: ['pool', 'state'],
    aggregation: 'sum',
    read: () =>
      all.flatMap(([pool, database]): Reading<'pool' | 'state'>[] => {
        const { used, idle } = database.poolUse();
        return [
          { labels: { pool, state: 'used' }, value: used },
          { labels: { pool, state: 'idle' }, value: idle },
        ];
      }),
  });
  metrics.gauge({
    name: 'sluice_pool_waiting',
    help: 'Callers that wait for a connection to Postgres.',
    labels: ['pool'],
    aggregation: 'sum',
    read: () => all.map(([pool, database]) => ({ labels: { pool }, value: database.poolUse().waiting })),
  });
}
