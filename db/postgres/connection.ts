/** Opens the pool of connections to Postgres, and runs raw queries on it. */
import knexFactory, { type Knex } from 'knex';
import type pg from 'pg';
import type { Logger } from '../../platform/logger.ts';
import { isSilence } from './outage.ts';
import { KEEP_ALIVE } from './session.ts';

/** A pool or a transaction. Every store takes either. */
export type Handle = Knex;

export interface DatabaseOptions {
  url: string;
  /** The largest number of connections in this process. */
  poolMax: number;
  /** The most time for one statement, and between two statements of a transaction; unlimited when absent. */
  statementTimeoutMs?: number;
  /** The most time that a statement may wait for a lock; unlimited when absent. */
  lockTimeoutMs?: number;
  /**
   * Settings for statements that process hundreds of thousands of rows: the memory that each may use for a sort or a
   * hash table. Postgres does not compile them, because that takes longer than it saves. Each uses one processor, so
   * that the others serve requests.
   */
  largeStatements?: { workMemMib: number };
  /** The name that `pg_stat_activity` shows. */
  applicationName?: string;
  /** Logs a warning for each lost connection, which is then replaced. */
  logger?: Pick<Logger, 'warn'>;
}

export interface Database {
  knex: Knex;
  /** Returns how many connections are in use now. A closed pool has none. */
  poolUse(): PoolUse;
  /** Waits for connections in use and closes the pool. */
  close(): Promise<void>;
}

export interface PoolUse {
  /** Open connections that run statements or transactions. */
  used: number;
  idle: number;
  /** Callers that wait for a connection. */
  waiting: number;
}

/**
 * The driver gives up this long after `statementTimeoutMs`. Postgres cancels a slow statement itself, and the
 * connection stays usable. The driver's limit is for a server that does not answer at all.
 */
const SILENCE_MARGIN_MS = 2_000;

/** Creates a pool. It opens no connection until the first query. */
export function createDatabase(options: DatabaseOptions): Database {
  const warn = (message: unknown): void => options.logger?.warn({ detail: String(message) }, 'database');
  const usable = trackUsableConnections();
  const knex = knexFactory({
    client: 'pg',
    // Errors go to logs and to Temporal's history, which may show statements but not their values.
    compileSqlOnError: false,
    // Without this Knex writes to the console.
    log: { warn, error: warn, deprecate: warn, debug: warn },
    connection: {
      connectionString: options.url,
      application_name: options.applicationName ?? 'sluice',
      // During an outage a request must fail within seconds.
      connectionTimeoutMillis: 5_000,
      ...KEEP_ALIVE,
      ...limits(options.statementTimeoutMs),
      ...(options.largeStatements === undefined
        ? {}
        : {
            options: `-c work_mem=${options.largeStatements.workMemMib}MB -c jit=off -c max_parallel_workers_per_gather=0`,
          }),
      ...(options.lockTimeoutMs === undefined ? {} : { lock_timeout: options.lockTimeoutMs }),
    },
    pool: {
      min: 0,
      max: options.poolMax,
      acquireTimeoutMillis: 10_000,
      afterCreate: usable.add,
      validate: usable.has,
    },
  });
  knex.on('query-error', (error: unknown, { __knexUid }: { __knexUid: string }) => {
    if (!isSilence(error)) return;
    warn('Postgres does not answer; its connections are replaced');
    usable.endAll(__knexUid);
  });
  return { knex, poolUse: () => useOf(knex.client.pool), close: () => knex.destroy() };
}

/** The counters of Knex's pool. */
interface Pool {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

function useOf(pool: Pool | undefined): PoolUse {
  return {
    used: pool?.numUsed() ?? 0,
    idle: pool?.numFree() ?? 0,
    waiting: pool?.numPendingAcquires() ?? 0,
  };
}

function limits(statementTimeoutMs: number | undefined): Knex.PgConnectionConfig {
  if (statementTimeoutMs === undefined) return {};
  const silenceMs = statementTimeoutMs + SILENCE_MARGIN_MS;
  return {
    statement_timeout: statementTimeoutMs,
    // Releases the locks of a process that vanished during a transaction, before the network reports its loss.
    idle_in_transaction_session_timeout: silenceMs,
    query_timeout: silenceMs,
  };
}

type PooledConnection = pg.Client & { __knexUid: string };

/** Tracks the connections of a pool that may be used again, by Knex's id for each. */
function trackUsableConnections() {
  const connections = new Map<string, PooledConnection>();
  return {
    add(connection: PooledConnection, done: (error: null, connection: PooledConnection) => void): void {
      const uid = connection.__knexUid;
      connections.set(uid, connection);
      connection.once('end', () => connections.delete(uid));
      done(null, connection);
    },
    has: ({ __knexUid }: PooledConnection): boolean => connections.has(__knexUid),
    /**
     * Ends a silent connection and retires all others, which are probably silent too. The driver would queue the next
     * statement behind the answer that does not come.
     */
    endAll(silentUid: string): void {
      const silent = connections.get(silentUid);
      connections.clear();
      void silent?.end();
    },
  };
}

/** Returns the rows of a raw query. Postgres `numeric` and `bigint` arrive as strings. */
export async function rowsOf<Row>(
  handle: Handle,
  sql: string,
  bindings: Knex.RawBinding[] | Knex.ValueDict,
): Promise<Row[]> {
  const result: { rows: Row[] } = await handle.raw(sql, bindings);
  return result.rows;
}

/**
 * Returns whether Postgres refused a duplicate row: SQLSTATE 23505 on the named constraint, or on any if none is named.
 */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return isViolation(error, '23505', constraint);
}

/** Returns whether Postgres refused a row that refers to a missing one: SQLSTATE 23503 on the named constraint. */
export function isForeignKeyViolation(error: unknown, constraint: string): boolean {
  return isViolation(error, '23503', constraint);
}

function isViolation(error: unknown, sqlState: string, constraint?: string): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, constraint: broken } = error as { code?: unknown; constraint?: unknown };
  return code === sqlState && (constraint === undefined || broken === constraint);
}
