import knexFactory, { type Knex } from 'knex';
import type { Logger } from '../platform/logger.ts';

/** A pool or a transaction: every store takes either, so a transaction is just another handle. */
export type Handle = Knex;

export interface DatabaseOptions {
  url: string;
  /** Connections at most in this process. */
  poolMax: number;
  /** Shown in `pg_stat_activity`. */
  applicationName?: string;
  /** Told of lost connections, which are replaced; absent, they are not mentioned. */
  logger?: Pick<Logger, 'warn'>;
}

export interface Database {
  knex: Knex;
  /** Waits for connections in use and closes the pool. */
  close(): Promise<void>;
}

/** Opens no connection until the first query. */
export function createDatabase(options: DatabaseOptions): Database {
  const warn = (message: unknown): void => options.logger?.warn({ detail: String(message) }, 'database');
  const knex = knexFactory({
    client: 'pg',
    // Errors go to logs and to Temporal's history: the statement may, its values may not.
    compileSqlOnError: false,
    // Left to itself, Knex writes to the console.
    log: { warn, error: warn, deprecate: warn, debug: warn },
    connection: {
      connectionString: options.url,
      application_name: options.applicationName ?? 'sluice',
      // A database that is away must fail a request in seconds, not hold it.
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    },
    pool: { min: 0, max: options.poolMax, acquireTimeoutMillis: 10_000 },
  });
  return { knex, close: () => knex.destroy() };
}

/** Rows of a raw query. Postgres `numeric` and `bigint` arrive as strings. */
export async function rowsOf<Row>(handle: Handle, sql: string, bindings: Knex.RawBinding[]): Promise<Row[]> {
  const result: { rows: Row[] } = await handle.raw(sql, bindings);
  return result.rows;
}

/** SQLSTATE 23505 on the named constraint or index, or on any when none is named. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, constraint: broken } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && (constraint === undefined || broken === constraint);
}
