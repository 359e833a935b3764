import { createDatabase, type Handle } from './connection.ts';

export interface LongStatementsOptions {
  /** URL of Postgres itself, past a pooler. */
  url: string;
  /** Shown in `pg_stat_activity`. */
  applicationName: string;
  /** The most time for one statement. */
  statementMs: number;
}

/** Runs work that reads many millions of rows over a connection of its own, whose statements may take minutes. */
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
