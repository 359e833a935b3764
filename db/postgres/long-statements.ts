/** Runs work whose statements may take minutes, over a connection of its own. */
import { createDatabase, type Handle } from './connection.ts';

export interface LongStatementsOptions {
  /** The URL of Postgres itself, not of a pooler. */
  url: string;
  /** The name that `pg_stat_activity` shows. */
  applicationName: string;
  /** The most time for one statement. */
  statementMs: number;
}

/** Runs work over a connection of its own. Its statements may read many millions of rows and take minutes. */
export async function withLongStatements<T>(
  { url, applicationName, statementMs }: LongStatementsOptions,
  work: (knex: Handle) => Promise<T>,
): Promise<T> {
  const { knex, close } = createDatabase({
    url,
    poolMax: 1,
    statementTimeoutMs: statementMs,
    applicationName,
  });
  return work(knex).finally(close);
}
