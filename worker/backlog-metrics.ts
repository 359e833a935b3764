/** Publishes the open work in Postgres as metrics, such as video jobs and webhook deliveries. */
import { type Backlog, readBacklog } from '../db/videos/backlog-read-model.ts';
import { readDestinationGroups } from '../db/broadcast/destinations-read-model.ts';
import { createDatabase, type Database } from '../db/postgres/connection.ts';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics, Reading } from '../platform/metrics.ts';
import { shareReading } from '../platform/shared-reading.ts';
import { meterDestinations } from './destination-metrics.ts';

/** The shortest time between two readings. It bounds the load on Postgres, however often metrics are scraped. */
const READ_EVERY_MS = 10_000;
/** Limits a statement to two seconds, because Prometheus by default gives up a scrape after ten. */
const STATEMENT_MS = 2_000;
const READ_WITHIN_MS = 3_000;

/**
 * Opens the metrics of open work in Postgres. They have a connection of their own, so that they work while all other
 * connections are busy. The connection is opened at the first scrape. During an outage of Postgres these values are
 * absent and all others are shown.
 */
export function openBacklogMetrics(
  metrics: Metrics,
  config: Config,
  logger: Logger,
): Pick<Database, 'close'> {
  const { knex, close } = createDatabase({
    ...config.database,
    poolMax: 1,
    statementTimeoutMs: STATEMENT_MS,
    applicationName: 'sluice-metrics',
  });
  meterBacklog(metrics, () => readBacklog(knex), logger);
  meterDestinations(metrics, () => readDestinationGroups(knex), logger);
  return { close };
}

interface BacklogGauge {
  name: string;
  help: string;
  labels?: 'status'[];
  of(backlog: Backlog): Reading<string>[];
}

const one = (value: number): Reading<string>[] => [{ labels: {}, value }];
const byStatus = (pending: number, inProgress: number): Reading<string>[] => [
  { labels: { status: 'pending' }, value: pending },
  { labels: { status: 'in_progress' }, value: inProgress },
];

const GAUGES: BacklogGauge[] = [
  {
    name: 'sluice_jobs_open',
    help: 'Open video jobs.',
    labels: ['status'],
    of: ({ pending, inProgress }) => byStatus(pending.jobs, inProgress.jobs),
  },
  {
    name: 'sluice_job_oldest_seconds',
    help: 'Age of the oldest open video job, since it was accepted or submitted; 0 without one.',
    labels: ['status'],
    of: ({ pending, inProgress }) => byStatus(pending.oldestSeconds, inProgress.oldestSeconds),
  },
  {
    name: 'sluice_jobs_overdue',
    help: 'Open video jobs past their deadline.',
    of: ({ overdueJobs }) => one(overdueJobs),
  },
  {
    name: 'sluice_webhooks_pending',
    help: 'Webhook deliveries that have not ended.',
    of: ({ pendingDeliveries }) => one(pendingDeliveries),
  },
  {
    name: 'sluice_webhooks_undispatched_seconds',
    help: 'Age of the oldest webhook delivery that no run has taken; 0 without one.',
    of: ({ undispatchedSeconds }) => one(undispatchedSeconds),
  },
  {
    name: 'sluice_ledger_rejects',
    help: 'Generations that Postgres refused and that are not billed.',
    of: ({ rejects }) => one(rejects),
  },
];

/**
 * Registers the gauges of open work. All workers show equal values, so the values of several workers must not be
 * added.
 */
export function meterBacklog(
  metrics: Metrics,
  read: () => Promise<Backlog>,
  logger: Pick<Logger, 'warn'>,
): void {
  const countFailure = metrics.counter({
    name: 'sluice_postgres_read_failures_total',
    help: 'Failed readings of the open work in Postgres. After a failure the values of open work are not shown.',
  })({});
  const current = shareReading({
    read,
    everyMs: READ_EVERY_MS,
    withinMs: READ_WITHIN_MS,
    onFailure(error) {
      countFailure();
      logger.warn({ err: error }, 'the open work cannot be read for metrics');
    },
  });
  for (const { of, ...series } of GAUGES)
    metrics.gauge<string>({
      ...series,
      aggregation: 'max',
      async read() {
        const backlog = await current();
        return backlog === undefined ? [] : of(backlog);
      },
    });
}
