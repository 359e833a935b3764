/** Exports metrics of the look-ups of unknown keys: their outcomes, and how many wait. */
import type { Metrics } from '../../../platform/metrics.ts';

/** Counts a look-up by its outcome. */
export type LookUpMeters = Record<'found' | 'wrong' | 'refused', () => void>;

export function createLookUpMeters(metrics: Metrics, waiting: () => number): LookUpMeters {
  metrics.gauge({
    name: 'sluice_key_lookups_waiting',
    help: 'Look-ups of unknown keys that wait for their turn.',
    aggregation: 'sum',
    read: () => [{ labels: {}, value: waiting() }],
  });
  const count = metrics.counter({
    name: 'sluice_key_lookups_total',
    help: 'Look-ups of unknown keys.',
    labels: ['outcome'],
  });
  return {
    found: count({ outcome: 'found' }),
    wrong: count({ outcome: 'wrong' }),
    refused: count({ outcome: 'refused' }),
  };
}
