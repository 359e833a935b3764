/** Opens the pool of Postgres connections that directory syncs use. */
import { createDatabase, type Database } from '../db/postgres/connection.ts';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';

/** One connection for each slot of the queue `directory` (create-workers.ts). */
const CONNECTIONS = 4;
/** Limits a statement to five minutes; some statements change half a million people. */
const STATEMENT_MS = 5 * 60_000;
const WORK_MEM_MIB = 32;

/** Opens connections whose statements may take longer than those of other pools. */
export function openDirectoryDatabase(config: Config, logger: Logger): Database {
  return createDatabase({
    ...config.database,
    poolMax: CONNECTIONS,
    statementTimeoutMs: STATEMENT_MS,
    largeStatements: { workMemMib: WORK_MEM_MIB },
    applicationName: 'sluice-directory',
    logger,
  });
}
