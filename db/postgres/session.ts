/** Opens single connections to Postgres outside of the pool. */
import type { Socket } from 'node:net';
import pg from 'pg';

export interface SessionOptions {
  url: string;
  /** The name that `pg_stat_activity` shows. */
  applicationName: string;
  /** The longest time to establish the connection; unlimited when absent. */
  connectMs?: number;
  /** The longest time that Postgres may work on one statement; unlimited when absent. */
  statementMs?: number;
  /** The longest time that the driver waits for an answer; unlimited when absent. */
  silenceMs?: number;
  /** The socket to use; a new one when absent. */
  socket?: Socket;
}

/** Makes the operating system probe an idle connection after ten seconds; its own default is two hours. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/**
 * Returns a connection outside of the pools, not yet connected. Only four tasks need one; docs/architecture.md lists
 * them ("Database sessions").
 */
export function createSession(options: SessionOptions): pg.Client {
  const { url, applicationName, connectMs, statementMs, silenceMs, socket } = options;
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    query_timeout: silenceMs,
    ...(socket === undefined ? {} : { stream: () => socket }),
    ...KEEP_ALIVE,
  });
  // Without a listener, the loss of an idle connection would end the process.
  client.on('error', () => {});
  return client;
}
