/** Publishes the number of observability destinations and their backlogs as metrics. */
import type { DestinationGroup } from '../db/broadcast/destinations-read-model.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import { shareReading } from '../platform/shared-reading.ts';

const READ_EVERY_MS = 10_000;
/** Limits a reading to three seconds, because Prometheus by default gives up a scrape after ten. */
const READ_WITHIN_MS = 3_000;

const GAUGES = [
  {
    name: 'sluice_broadcast_destinations',
    help: 'Observability destinations, by type and state of their delivery.',
    of: ({ destinations }: DestinationGroup) => destinations,
  },
  {
    name: 'sluice_broadcast_backlog',
    help: 'Generations that wait for observability destinations.',
    of: ({ backlog }: DestinationGroup) => backlog,
  },
  {
    name: 'sluice_broadcast_oldest_seconds',
    help: 'Age of the oldest generation that waits for an observability destination; 0 without one.',
    of: ({ oldestSeconds }: DestinationGroup) => oldestSeconds,
  },
  {
    name: 'sluice_broadcast_undecided',
    help: 'Generations that filters could not decide, because their prompt and answer are missing.',
    of: ({ undecided }: DestinationGroup) => undecided,
  },
];

/**
 * Registers the gauges of broadcast. All workers show equal values, so the values of several workers must not be
 * added.
 */
export function meterDestinations(
  metrics: Metrics,
  read: () => Promise<DestinationGroup[]>,
  logger: Pick<Logger, 'warn'>,
): void {
  const current = shareReading({
    read,
    everyMs: READ_EVERY_MS,
    withinMs: READ_WITHIN_MS,
    onFailure: (error) => logger.warn({ err: error }, 'destinations cannot be read for metrics'),
  });
  for (const { of, ...series } of GAUGES) {
    metrics.gauge<'type' | 'state'>({
      ...series,
      labels: ['type', 'state'],
      aggregation: 'max',
      read: async () =>
        ((await current()) ?? []).map((group) => ({
          labels: { type: group.type, state: group.state },
          value: of(group),
        })),
    });
  }
}
