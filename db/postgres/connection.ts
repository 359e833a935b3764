/** Opens pools of connections to Postgres, and runs statements and transactions on them. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '../../platform/logger.ts';
import type { Handle, Query, QueryResult } from './handle.ts';
import { isSilence } from './outage.ts';
import { KEEP_ALIVE } from './session.ts';

export type { Handle } from './handle.ts';

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
  knex: Handle;
  /** Returns how many connections are in use now. A closed pool has none. */
  poolUse(): PoolUse;
  /** Waits for callers and for connections in use, and closes the pool. */
  close(): Promise<void>;
}

export interface PoolUse {
  /** Open connections that run statements or transactions. */
  used: number;
  idle: number;
  /** Callers that wait for a connection. */
  waiting: number;
}

/** The longest time that a caller waits for a connection. */
const WAIT_MS = 10_000;
/** The longest time to establish a connection. During an outage a request must fail within seconds. */
const CONNECT_MS = 5_000;
const IDLE_MS = 30_000;
const CLOSE_POLL_MS = 10;
/**
 * The driver gives up this long after `statementTimeoutMs`. Postgres cancels a slow statement itself, and the
 * connection stays usable. The driver's limit is for a server that does not answer at all.
 */
const SILENCE_MARGIN_MS = 2_000;

/** A connection of a pool. The pool passes its own options to it, which include the time that a caller may wait. */
class Connection extends pg.Client {
  constructor(options?: pg.ClientConfig) {
    super({ ...options, connectionTimeoutMillis: CONNECT_MS });
  }
}

/** Creates a pool. It opens no connection until the first statement. */
export function createDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    ...settingsOf(options),
    Client: Connection,
    max: options.poolMax,
    connectionTimeoutMillis: WAIT_MS,
    idleTimeoutMillis: IDLE_MS,
  });
  const lender = lendConnections(pool, (problem) =>
    options.logger?.warn({ detail: String(problem) }, 'database'),
  );
  let closing: Promise<void> | undefined;
  return {
    knex: {
      query: (query) => lender.lend((connection) => connection.query(query)),
      transaction: (work, { readOnly = false } = {}) =>
        lender.lend((connection) => runTransaction(connection, readOnly ? 'begin read only' : 'begin', work)),
    },
    poolUse: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: () => (closing ??= endWhenUnwanted(pool)),
  };
}

/** Ends a pool once every caller who waits for a connection has had one, because a pool that ends forgets them. */
async function endWhenUnwanted(pool: pg.Pool): Promise<void> {
  while (pool.waitingCount > 0) await delay(CLOSE_POLL_MS);
  await pool.end();
}

function settingsOf({
  url,
  applicationName,
  statementTimeoutMs,
  lockTimeoutMs,
  largeStatements,
}: DatabaseOptions) {
  const silenceMs = statementTimeoutMs === undefined ? undefined : statementTimeoutMs + SILENCE_MARGIN_MS;
  return {
    connectionString: url,
    application_name: applicationName ?? 'sluice',
    ...KEEP_ALIVE,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    // Releases the locks of a process that vanished during a transaction, before the network reports its loss.
    idle_in_transaction_session_timeout: silenceMs,
    query_timeout: silenceMs,
    options:
      largeStatements &&
      `-c work_mem=${largeStatements.workMemMib}MB -c jit=off -c max_parallel_workers_per_gather=0`,
  };
}

/** A connection that is lent to one statement or transaction. */
interface Lent {
  query(query: Query): Promise<QueryResult>;
  /** Replaces the connection when it is given back. */
  spoil(): void;
}

/** Lends the connections of a pool, and replaces those that were lost or that do not answer. */
function lendConnections(pool: pg.Pool, warn: (problem: unknown) => void) {
  let usable = new WeakSet<pg.PoolClient>();

  pool.on('connect', (connection) => {
    usable.add(connection);
    connection.on('error', (error) => {
      if (usable.delete(connection)) warn(error);
    });
  });
  // The listener above has logged the loss of an idle connection.
  pool.on('error', () => {});

  /**
   * Ends a silent connection and retires all others, which are probably silent too. The driver would queue the next
   * statement behind the answer that does not come.
   */
  const retireAll = (silent: pg.PoolClient): void => {
    warn('Postgres does not answer; its connections are replaced');
    usable = new WeakSet();
    void silent.end();
  };
  const acquire = async (): Promise<pg.PoolClient> => {
    for (;;) {
      const connection = await pool.connect();
      if (usable.has(connection)) return connection;
      connection.release(true);
    }
  };

  return {
    async lend<T>(work: (lent: Lent) => Promise<T>): Promise<T> {
      const connection = await acquire();
      try {
        return await work({
          async query(query) {
            try {
              return await connection.query(query);
            } catch (error) {
              if (isSilence(error)) retireAll(connection);
              throw error;
            }
          },
          spoil: () => void usable.delete(connection),
        });
      } finally {
        connection.release(!usable.has(connection));
      }
    },
  };
}

async function runTransaction<T>(
  connection: Lent,
  begin: string,
  work: (transaction: Handle) => PromiseLike<T>,
): Promise<T> {
  let isOver = false;
  const transaction: Handle = {
    async query(query) {
      if (isOver) throw new Error(`The transaction of this statement is over: ${query.text}`);
      return connection.query(query);
    },
    transaction: () => Promise.reject(new Error('A transaction has no transactions within it')),
  };
  const send = (text: string): Promise<unknown> => connection.query({ text, values: [] });

  await send(begin);
  try {
    const result = await work(transaction);
    isOver = true;
    await send('commit');
    return result;
  } catch (error) {
    isOver = true;
    // Without its rollback, the transaction would go on in the work of the connection's next user.
    await send('rollback').catch(() => connection.spoil());
    throw error;
  }
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
