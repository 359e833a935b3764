/** Connects the spending limits of a process to their counters in Postgres and to the budget alerts. */
import type { ApiTimes } from './api-times.ts';
import { renderBudgetEvent } from '../contract/ledger/budget-event.ts';
import type { Handle } from '../db/postgres/connection.ts';
import { createPayerCounters } from '../db/ledger/payer-counters.ts';
import type { OutageDetector } from '../db/postgres/outage-detector.ts';
import { webhookScheduleOf } from '../domain/runs.ts';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import { createAlertWatch } from '../services/ledger/budget-alerts/alert-watch.ts';
import type { Ledger } from '../services/ledger/ledger.ts';
import type { RunStarter } from '../services/runs/run-starter.ts';
import { createSpending, type LiveSpending } from '../services/ledger/spending/create-spending.ts';
import { createWaitMetrics } from '../services/ledger/spending/wait-metrics.ts';
import { startDelivery } from '../services/webhooks/start-delivery.ts';

export interface SpendingParts {
  config: Config;
  logger: Logger;
  knex: Handle;
  detector: OutageDetector;
  ledger: Ledger;
  runs: Pick<RunStarter, 'startWebhook'>;
  metrics: Metrics;
  times: Pick<ApiTimes, 'limitWaitMs'>;
}

export interface WatchedSpending {
  spending: LiveSpending;
  /** Stops the reads of the counters, and waits for running alerts. */
  close(): Promise<void>;
}

/** Builds the spending limits of this process, and the alerts that may follow when their counters are read. */
export function watchSpending(parts: SpendingParts): WatchedSpending {
  const { config, logger, knex, detector, ledger, runs, metrics, times } = parts;
  const schedule = webhookScheduleOf(config.webhooks.scheduleSeconds);
  const alerts = createAlertWatch({
    knex,
    renderAlert: renderBudgetEvent,
    start: (delivery) => startDelivery({ knex, runs, schedule }, delivery),
    logger,
  });
  const counters = createPayerCounters(knex);
  const spending = createSpending({
    counters: { read: (questions) => detector.run(() => counters.read(questions)) },
    isLedgerBehind: ledger.isBehind,
    onRefreshed: (windows) => void alerts.check(windows),
    creditsUrl: config.http.creditsUrl,
    waits: createWaitMetrics(metrics),
    waitMs: times.limitWaitMs,
    refreshMs: config.limits.spendingRefreshMs,
    logger,
  });
  return {
    spending,
    async close() {
      spending.close();
      await alerts.close();
    },
  };
}
