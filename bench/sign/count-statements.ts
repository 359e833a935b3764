/** Counts how many transactions a piece of work causes in Postgres. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

/**
 * The delay after which all connections have reported their statistics. Postgres reports them within ten seconds of a
 * connection's last statement.
 */
const STATISTICS_DELAY_MS = 11_000;

/**
 * Counts the transactions of all connections to the database during the work. A statement outside a transaction counts
 * as one.
 */
export async function countStatements(database: pg.Pool, work: () => Promise<void>): Promise<number> {
  const before = await transactionsSoFar(database);
  await work();
  return (await transactionsSoFar(database)) - before;
}

async function transactionsSoFar(database: pg.Pool): Promise<number> {
  await delay(STATISTICS_DELAY_MS);
  const { rows } = await database.query<{ transactions: number }>(
    `select (xact_commit + xact_rollback)::integer transactions
     from pg_stat_database where datname = current_database()`,
  );
  return rows[0]!.transactions;
}
