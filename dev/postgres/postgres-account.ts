import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Account } from '../processes/child.ts';
import { StackError } from '../stack-error.ts';

/**
 * Returns the account that runs Postgres, which refuses to run as root. Undefined means the current user. When the
 * current user is root, it is the owner of existing data, else the system's `postgres` user, else `nobody`. No user is
 * created.
 */
export function postgresAccount(clusterFolder?: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = clusterFolder === undefined ? undefined : statSync(clusterFolder, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const account = accountOf('postgres') ?? accountOf('nobody');
  if (account === undefined) {
    throw new StackError(
      'Postgres does not run as root, and this system has neither a `postgres` nor a `nobody` user.\n' +
        'Run as another user, or set DATABASE_URL to a Postgres of your own.',
    );
  }
  return account;
}

function accountOf(name: string): Account | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }));
  if (uid?.status !== 0 || gid?.status !== 0) return undefined;
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

/**
 * Returns whether the account can enter and write the folder. It runs a shell as that account, because modes, access
 * lists and mounts all count.
 */
export function canUseFolder(folder: string, account: Account | undefined): boolean {
  const result = spawnSync('/bin/sh', ['-c', 'cd "$0" && test -w .', folder], { cwd: '/', ...account });
  return result.status === 0;
}
