/** Creates the data files of the laptop's Postgres, and checks their version. */
import { chownSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Account } from '../processes/child.ts';
import type { Supervisor } from '../processes/supervisor.ts';
import { StackError } from '../stack-error.ts';
import type { Cluster } from './cluster-place.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';

/** The superuser, who owns every database. */
export const POSTGRES_USER = 'sluice';

/**
 * Creates the cluster's files unless they exist. They get their final name when they are complete, so an interrupted
 * start leaves no broken cluster.
 */
export async function initializeCluster(
  cluster: Cluster,
  binaries: PostgresBinaries,
  context: { supervisor: Supervisor; account: Account | undefined; logFile: string; durable: boolean },
): Promise<void> {
  if (existsSync(path.join(cluster.folder, 'PG_VERSION'))) return;
  const { account } = context;
  const half = `${cluster.folder}.half`;
  const passwordFile = `${cluster.folder}.password`;
  rmSync(half, { recursive: true, force: true });
  writeFileSync(passwordFile, cluster.password, { mode: 0o600 });
  if (account !== undefined) chownSync(passwordFile, account.uid, account.gid);
  try {
    await context.supervisor.run({
      name: 'initdb',
      command: binaries.initdb,
      args: [
        `--pgdata=${half}`,
        `--username=${POSTGRES_USER}`,
        `--pwfile=${passwordFile}`,
        // Tests open thousands of connections, and SCRAM costs each of them 1 ms of processor time.
        `--auth=${context.durable ? 'scram-sha-256' : 'md5'}`,
        '--encoding=UTF8',
        // Without a locale, text sorts the same on every machine.
        '--no-locale',
        '--no-instructions',
      ],
      logFile: context.logFile,
      cwd: path.dirname(cluster.folder),
      account,
    });
    renameSync(half, cluster.folder);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

/** Throws a StackError if another major version made the cluster, because this Postgres cannot read it. */
export function checkClusterVersion(cluster: Cluster, binaries: PostgresBinaries): void {
  const version = readFileSync(path.join(cluster.folder, 'PG_VERSION'), 'utf8').trim();
  if (version === binaries.majorVersion) return;
  throw new StackError(
    `${cluster.folder} was made by Postgres ${version}, and this is Postgres ${binaries.majorVersion}.\n` +
      'Delete the data folder to start with an empty database, or set DATABASE_URL to a Postgres that can read your data.',
  );
}
