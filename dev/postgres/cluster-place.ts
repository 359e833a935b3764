/** Finds or chooses the folder in which the laptop's Postgres keeps its data. */
import { createHash, randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Account } from '../processes/child.ts';
import { canUseFolder, postgresAccount } from './postgres-account.ts';
import { commandLine } from '../processes/process-identity.ts';
import { reachableFolder } from './reachable-folder.ts';
import { StackError } from '../stack-error.ts';

/**
 * Describes where the cluster of a data folder is and how to connect to it. It is stored in `<dataDir>/postgres.json`.
 */
export interface Cluster {
  /** The folder that Postgres calls its data directory. */
  folder: string;
  password: string;
}

/**
 * Returns the cluster of a data folder, or the place and password of a new one. The place is `<dataDir>/postgres`. If
 * the account that runs Postgres cannot reach that folder, it is a folder outside, named by a digest of the path.
 */
export function placeCluster(dataDir: string): Cluster {
  const clusterFile = path.join(dataDir, 'postgres.json');
  if (existsSync(clusterFile)) return JSON.parse(readFileSync(clusterFile, 'utf8')) as Cluster;
  const inside = path.join(dataDir, 'postgres');
  if (existsSync(path.join(inside, 'cluster'))) {
    throw new StackError(
      `${inside} holds data, but ${clusterFile}, which has its password, is missing.\nDelete the folder to start with an empty database.`,
    );
  }
  const key = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  const outside = () => path.join(reachableFolder(), `data-${key}`);
  const account = postgresAccount();
  const place = preparePlace(inside, account) ?? preparePlace(outside(), account);
  if (place === undefined) {
    throw new StackError(
      `User ${account?.uid} cannot reach any folder for Postgres. Set DATABASE_URL instead.`,
    );
  }
  const cluster = { folder: path.join(place, 'cluster'), password: randomBytes(24).toString('base64url') };
  writeFileSync(clusterFile, JSON.stringify(cluster), { mode: 0o600 });
  return cluster;
}

/** Deletes a data folder, and its cluster if that is outside of the folder. No process may use them. */
export function deleteDataDir(dataDir: string): void {
  const clusterFile = path.join(dataDir, 'postgres.json');
  if (existsSync(clusterFile)) {
    const { folder } = JSON.parse(readFileSync(clusterFile, 'utf8')) as Cluster;
    rmSync(path.dirname(folder), { recursive: true, force: true });
  }
  rmSync(dataDir, { recursive: true, force: true });
}

/**
 * Returns the place as an empty folder that belongs to the account; undefined when the account cannot reach it.
 * Existing content is deleted: it belongs to a deleted data folder, whose password is lost.
 */
function preparePlace(place: string, account: Account | undefined): string | undefined {
  refuseIfRunning(path.join(place, 'cluster'));
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true, mode: 0o700 });
  if (account !== undefined) chownSync(place, account.uid, account.gid);
  if (canUseFolder(place, account)) return place;
  rmSync(place, { recursive: true });
  return undefined;
}

/**
 * Removes the lock file of a Postgres that was killed. Postgres removes it itself, unless another process has the old
 * pid by now, as is likely after a restart of a container.
 */
export function removeStaleLock(cluster: Cluster): void {
  refuseIfRunning(cluster.folder);
  rmSync(lockFile(cluster.folder), { force: true });
}

function refuseIfRunning(clusterFolder: string): void {
  if (!existsSync(lockFile(clusterFolder))) return;
  const pid = Number.parseInt(readFileSync(lockFile(clusterFolder), 'utf8'), 10);
  if (commandLine(pid)?.includes(clusterFolder) !== true) return;
  throw new StackError(
    `A Postgres that was not started from here (process ${pid}) runs on ${clusterFolder}.\n` +
      `Stop it with: kill -INT ${pid}`,
  );
}

function lockFile(clusterFolder: string): string {
  return path.join(clusterFolder, 'postmaster.pid');
}
