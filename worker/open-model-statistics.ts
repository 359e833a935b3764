/** Sets up the worker's computation of model statistics from the ledger. */
import { createDatabase, type Database, type Handle } from '../db/postgres/connection.ts';
import { createModelStatisticsReadModel } from '../db/catalog/model-statistics-read-model.ts';
import { createModelStatisticsStore } from '../db/catalog/model-statistics-store.ts';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import {
  createModelStatisticsFiller,
  type ModelStatisticsFiller,
} from '../services/catalog/statistics/model-statistics-filler.ts';

/** One connection reads the last half hour, the other reads everything older. */
const CONNECTIONS = 2;

/**
 * Builds the filler of model statistics. It has connections of its own, to the replica if there is one, and opens them
 * when it is woken.
 */
export function openModelStatistics(
  config: Config,
  logger: Logger,
  knex: Handle,
  intervalMs: number,
): Pick<ModelStatisticsFiller, 'wake' | 'close'> & Pick<Database, 'poolUse'> {
  const reads = createDatabase({
    ...config.database,
    url: config.database.readUrl,
    poolMax: CONNECTIONS,
    applicationName: 'sluice-model-statistics',
    logger,
  });
  const filler = createModelStatisticsFiller({
    ledger: createModelStatisticsReadModel(reads.knex),
    store: createModelStatisticsStore(knex),
    intervalMs,
    logger,
  });
  return {
    wake: filler.wake,
    poolUse: reads.poolUse,
    async close() {
      await filler.close();
      await reads.close();
    },
  };
}
