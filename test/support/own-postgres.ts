import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { migrate } from '../../db/migrate.ts';
import { findFreePorts } from '../../dev/ports.ts';
import { placeCluster } from '../../dev/postgres/cluster-place.ts';
import { ensureDatabase, startPostgres } from '../../dev/postgres/postgres.ts';
import { createSupervisor } from '../../dev/processes/supervisor.ts';
import { eventually } from './eventually.ts';

/** A Postgres as production has it, on the disk, that the test may kill. */
export interface OwnPostgres {
  /** Of a database with the newest schema. */
  url: string;
  /** SIGKILL of the server: nothing is flushed, and its processes are gone when this resolves. */
  kill(): Promise<void>;
  /** On the same port and data; resolves when it has recovered and answers. */
  restart(): Promise<void>;
  /** Makes it a replica of nobody, on what it has: it follows its own log, and takes no writes. For the next start. */
  becomeStandby(): Promise<void>;
  close(): Promise<void>;
}

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'sluice-postgres-'));
  // It may run as another user, who must get through.
  await chmod(dataDir, 0o711);
  const supervisor = await createSupervisor({ dataDir, say: () => {}, throwAway: true });
  const [port = 0] = await findFreePorts(1);
  const start = (): Promise<string> => startPostgres({ supervisor, dataDir, port, durable: true });
  const url = await ensureDatabase(await start(), 'ledger');
  await migrate(url);
  return {
    url,
    async kill() {
      const [pid] = (await readFile(path.join(placeCluster(dataDir).folder, 'postmaster.pid'), 'utf8')).split(
        '\n',
      );
      process.kill(Number(pid), 'SIGKILL');
      await eventually('the end of Postgres', async () => ((await answers(url)) ? undefined : true));
    },
    async restart() {
      // The processes of the killed server may hold its memory for a moment longer.
      await eventually('a Postgres that starts', () => start().catch(() => undefined));
    },
    becomeStandby: () => writeFile(path.join(placeCluster(dataDir).folder, 'standby.signal'), ''),
    close: () => supervisor.stopAll(),
  };
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
