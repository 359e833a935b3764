import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { migrate } from '../../db/migrate.ts';
import { findFreePorts } from '../../dev/ports.ts';
import { placeCluster } from '../../dev/postgres/cluster-place.ts';
import type { PostgresBinaries } from '../../dev/postgres/postgres-binaries.ts';
import { ensureDatabase, startPostgres } from '../../dev/postgres/postgres.ts';
import { createSupervisor } from '../../dev/processes/supervisor.ts';
import { eventually } from './eventually.ts';

/** A Postgres as production has it, on the disk, that the test may kill. */
export interface OwnPostgres {
  /** Of a database with the newest schema. */
  url: string;
  /** SIGKILL of the server: nothing is flushed, and its processes are gone when this resolves. */
  kill(): Promise<void>;
  /** Shuts the server down as an operator does: statements under way are cancelled. */
  stop(): Promise<void>;
  /** Suspends all of its processes: connections stay open and nothing is answered. */
  pause(): Promise<void>;
  /** Continues after `pause`. */
  resume(): void;
  /** Starts it again on the same port and data, unless it runs; resolves when it has recovered and answers. */
  restart(): Promise<void>;
  /** Makes it a replica of nobody, on what it has: it follows its own log, and takes no writes. For the next start. */
  becomeStandby(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the embedded Postgres, or the one of these programs. */
export async function startOwnPostgres(binaries?: PostgresBinaries): Promise<OwnPostgres> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'sluice-postgres-'));
  // It may run as another user, who must get through.
  await chmod(dataDir, 0o711);
  const supervisor = await createSupervisor({ dataDir, say: () => {}, throwAway: true });
  const [port = 0] = await findFreePorts(1);
  const start = (): Promise<string> => startPostgres({ supervisor, dataDir, port, durable: true, binaries });
  const url = await ensureDatabase(await start(), 'ledger');
  await migrate(url);
  let paused: number[] = [];

  const serverPid = async (): Promise<number> => {
    const file = path.join(placeCluster(dataDir).folder, 'postmaster.pid');
    const [pid] = (await readFile(file, 'utf8')).split('\n');
    return Number(pid);
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    process.kill(await serverPid(), signal);
    await eventually('the end of Postgres', async () => ((await answers(url)) ? undefined : true));
  };
  const resume = (): void => {
    for (const pid of paused.splice(0)) process.kill(pid, 'SIGCONT');
  };
  return {
    url,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGINT'),
    async pause() {
      const server = await serverPid();
      paused = [server, ...(await backendsOf(url))];
      for (const pid of paused) process.kill(pid, 'SIGSTOP');
    },
    resume,
    async restart() {
      // The processes of the killed server may hold its memory for a moment longer.
      await eventually('a Postgres that starts', async () => {
        if (await answers(url)) return true;
        return start().catch(() => undefined);
      });
    },
    becomeStandby: () => writeFile(path.join(placeCluster(dataDir).folder, 'standby.signal'), ''),
    async close() {
      resume();
      await supervisor.stopAll();
    },
  };
}

/** Returns the process ids of all connections but its own, which is over. */
async function backendsOf(url: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    return rows.map(({ pid }) => pid);
  } finally {
    await client.end();
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
