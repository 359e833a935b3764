/** Opens the connections of an API process to Postgres. */
import { createDatabase } from '../db/postgres/connection.ts';
import { meterPools } from '../db/postgres/pool-metrics.ts';
import type { Config } from '../platform/config.ts';
import { createMetrics } from '../platform/create-metrics.ts';
import type { Logger } from '../platform/logger.ts';
import type { ProcessShare } from './process-share.ts';

/** The longest statement of analytics and lists, so that a costly question does not hold Postgres for long. */
const HEAVY_STATEMENT_MS = 5_000;

/** Opens the pools of the API, and its metrics, which measure them. */
export function openDatabases(config: Config, logger: Logger, share: ProcessShare) {
  const database = createDatabase({
    ...config.database,
    poolMax: share.poolMax,
    applicationName: 'sluice-api',
    logger,
  });
  const heavyReads = createDatabase({
    ...config.database,
    url: config.database.readUrl,
    poolMax: share.heavyReads,
    statementTimeoutMs: Math.min(config.database.statementTimeoutMs, HEAVY_STATEMENT_MS),
    applicationName: 'sluice-analytics',
    logger,
  });
  // Callers without a valid key cause these reads, so they take no connection from requests.
  const unknownKeyReads = createDatabase({
    ...config.database,
    poolMax: share.unknownKeyReads,
    applicationName: 'sluice-unknown-keys',
    logger,
  });
  const metrics = createMetrics(config.metrics.apiPort);
  meterPools(metrics, { primary: database, analytics: heavyReads, unknown_keys: unknownKeyReads });
  return { database, heavyReads, unknownKeyReads, metrics };
}

export type Databases = ReturnType<typeof openDatabases>;
