/** Starts and stops a Postgres server in the data folder. */
import path from 'node:path';
import pg from 'pg';
import { postgresAccount } from './postgres-account.ts';
import { findPostgresBinaries, type PostgresBinaries } from './postgres-binaries.ts';
import { checkClusterVersion, initializeCluster, POSTGRES_USER } from './cluster-files.ts';
import { placeCluster, removeStaleLock } from './cluster-place.ts';
import { HOST } from '../settings.ts';
import { StackError } from '../stack-error.ts';
import type { Supervisor } from '../processes/supervisor.ts';
import { waitUntil } from '../wait-until.ts';

export interface PostgresOptions {
  supervisor: Supervisor;
  dataDir: string;
  port: number;
  /** False: faster, and a crash of the machine loses the data. */
  durable: boolean;
  /** Programs other than those of the embedded Postgres. */
  binaries?: PostgresBinaries | undefined;
}

const NOT_DURABLE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** Starts the embedded Postgres. Resolves when it answers, with the URL of its `postgres` database. */
export async function startPostgres(options: PostgresOptions): Promise<string> {
  const { supervisor, dataDir, port } = options;
  const cluster = placeCluster(dataDir);
  const account = postgresAccount(cluster.folder);
  const binaries = options.binaries ?? findPostgresBinaries(account);
  const logs = path.join(dataDir, 'logs');
  const logFile = path.join(logs, 'initdb.log');
  await initializeCluster(cluster, binaries, { supervisor, account, logFile, durable: options.durable });
  checkClusterVersion(cluster, binaries);
  removeStaleLock(cluster);
  await supervisor.start({
    name: 'Postgres',
    command: binaries.postgres,
    args: ['-D', cluster.folder, ...serverSettings(options)],
    logFile: path.join(logs, 'postgres.log'),
    cwd: path.dirname(cluster.folder),
    account,
    // SIGINT starts Postgres's fast shutdown, which disconnects clients. SIGQUIT starts its immediate one.
    plan: [
      { signal: 'SIGINT', waitMs: 20_000 },
      { signal: 'SIGQUIT', waitMs: 5_000 },
    ],
    killSignal: 'SIGQUIT',
  });
  const url = `postgres://${POSTGRES_USER}:${cluster.password}@${HOST}:${port}/postgres`;
  await waitUntil('Postgres', 60_000, () => connectionProblem(url));
  return url;
}

function serverSettings({ port, durable }: PostgresOptions): string[] {
  const settings = {
    port: String(port),
    listen_addresses: HOST,
    // Postgres makes no socket file, because the account would have to reach its folder too.
    unix_socket_directories: '',
    max_connections: '200',
    timezone: 'UTC',
    ...(durable ? {} : NOT_DURABLE),
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Creates a database unless it exists; returns its URL. */
export async function ensureDatabase(adminUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (found.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Throws a StackError when the Postgres of DATABASE_URL does not answer. */
export async function requirePostgres(url: string): Promise<void> {
  const problem = await connectionProblem(url);
  if (problem !== undefined) throw new StackError(`The Postgres of DATABASE_URL does not answer: ${problem}`);
}

async function connectionProblem(url: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // A server that is shutting down may close the connection after it was made.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message || error.name : String(error);
  } finally {
    await client.end();
  }
}
